// Adds up vitest's JSON reports and the steps that failed; names the tests that failed; the last line says how many passed and failed.
import { existsSync, readFileSync } from "node:fs";

const [failedSteps, ...reports] = process.argv.slice(2);
let passed = 0;
let failed = Number(failedSteps);
for (const file of reports) {
  if (!existsSync(file)) {
    console.log(`no report: ${file.split("/").at(-1)}`);
    failed++;
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  for (const { name, status, assertionResults } of report.testResults) {
    const names = assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName);
    const where = name.split("/").slice(-2).join("/");
    for (const test of status === "failed" && names.length === 0 ? ["could not be run"] : names) {
      console.log(`failed: ${where}: ${test}`);
    }
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests + (report.numFailedTestSuites > 0 && report.numFailedTests === 0 ? 1 : 0);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
