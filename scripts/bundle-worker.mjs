// The pool's worker as one file, after tsc: a thread that loads many small files starts twice as slowly and needs twice the memory.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

await build({
  entryPoints: [path("src/pool/worker.ts")],
  outfile: path("dist/pool/worker.js"),
  allowOverwrite: true,
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20",
  alias: { zod: path("src/pool/noSchemas.mjs") },
});
