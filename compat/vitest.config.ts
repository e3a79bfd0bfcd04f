import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["compat/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
