import type { ImpliedRetention } from "./familyConfig.ts";

/** A knob that keeps earlier thinking when it is on and drops it when it is off; unset, it implies nothing. */
export const keepKnob = <Knob extends string>(knob: Knob) => impliedBy(knob, true);

/** A knob that drops earlier thinking when it is on and keeps it when it is off; unset, it implies nothing. */
export const dropKnob = <Knob extends string>(knob: Knob) => impliedBy(knob, false);

function impliedBy<Knob extends string>(knob: Knob, keeps: boolean) {
  return (given: { readonly [K in Knob]?: boolean | undefined }): ImpliedRetention | undefined =>
    given[knob] === undefined ? undefined : { knob, retention: given[knob] === keeps ? "all" : "tool_cycle" };
}
