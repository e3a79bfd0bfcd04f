// The worker as source, on versions of Node that need tsx for it and take no loader for a thread's first file.
import { register } from "tsx/esm/api";

register();
await import("./worker.ts");
