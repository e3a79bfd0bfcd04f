export { type ConformOptions, conform, conformCommand, conformUsage, type FileSummary } from "./command.ts";
