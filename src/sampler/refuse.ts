import { TitoError } from "../errors.ts";

/** Throws for an option's value. @internal */
export function refuse(option: string, value: unknown, allowed: string): never {
  const shown = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  throw new TitoError("sampler_option", `${option} is ${shown}; it must be ${allowed}.`, {
    details: { option, value },
  });
}

/** What other engines and llama.cpp's own server offer, and node-llama-cpp's public API does not, in lower case letters only. */
const notInNativeApi = new Set([
  ...["mirostat", "mirostattau", "mirostateta", "typical", "typicalp", "typp", "tfs", "tfsz", "tailfree", "topa"],
  ...["topnsigma", "nsigma", "dynatemp", "dynatemprange", "dynatempexponent", "dynamictemperature", "smoothingfactor"],
  ...[
    "epsiloncutoff",
    "etacutoff",
    "adaptivetarget",
    "adaptivedecay",
    "samplers",
    "samplerorder",
    "mintokens",
    "ignoreeos",
  ],
  ...["penalizenl", "penaltyprompt", "norepeatngramsize", "quadraticsampling", "guidancescale", "cfgscale", "minkeep"],
]);

const lettersOf = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, "");

/** Throws for options that there are none of, naming the one that was meant. @internal */
export function refuseUnknown(options: object, known: readonly string[], prefix: string): void {
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const letters = lettersOf(key);
    const meant = known.find((name) => name.toLowerCase() === letters);
    const reason = notInNativeApi.has(letters)
      ? "node-llama-cpp's public API does not have it; leave it out"
      : meant === undefined
        ? `no such option. The options are ${known.map((name) => prefix + name).join(", ")}`
        : `no such option; it is called ${prefix}${meant} here`;
    throw new TitoError("sampler_option", `${prefix}${key}: ${reason}.`, { details: { option: prefix + key } });
  }
}
