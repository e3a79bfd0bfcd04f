import { familyConfigs } from "./families/index.ts";

/** Every family's name, as it stands in a config. */
export const familyNames: readonly string[] = familyConfigs.map(({ name }) => name);
