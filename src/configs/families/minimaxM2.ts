import { z } from "zod";
import { defineFamilyConfig, familySchema } from "../familyConfig.ts";

const schema = familySchema("minimax-m2", {
  /** The system text of conversations that have none. */
  modelIdentity: z.string().default("You are a helpful assistant. Your name is MiniMax-M2.5 and is built by MiniMax."),
});

/** Config of MiniMax M2 as it is used: defaults filled in. */
export type MinimaxM2Config = Readonly<z.output<typeof schema>>;

/** Config of MiniMax M2 as it is written. */
export type MinimaxM2ConfigInput = Readonly<z.input<typeof schema>>;

export const minimaxM2Config = defineFamilyConfig({
  name: "minimax-m2",
  schema,
  templateFields: { model_identity: "modelIdentity" },
  impliedRetention: () => undefined,
  templateRetention: () => "tool_cycle",
});
