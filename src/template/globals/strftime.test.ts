import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "../template.ts";
import { strftime } from "./index.ts";

const time = fc.date({ min: new Date(1971, 0, 1), max: new Date(2099, 11, 31), noInvalidDate: true });

describe("strftime", () => {
  it("prints a local time that reads back as it was", () => {
    fc.assert(
      fc.property(time, (date) => {
        const read = new Date(strftime(date, "%Y-%m-%dT%H:%M:%S.%f").slice(0, -3));
        // An hour that comes twice, when summer time ends, reads as its first.
        expect([0, 3_600_000]).toContain(date.getTime() - read.getTime());
        expect(strftime(date, "%s")).toBe(String(Math.floor(date.getTime() / 1000)));
      }),
    );
  });

  it("agrees with itself between directives", () => {
    const same: [string, string][] = [
      ["%D", "%m/%d/%y"],
      ["%F", "%Y-%m-%d"],
      ["%T", "%H:%M:%S"],
      ["%c", "%a %b %e %T %Y"],
      ["%r", "%I:%M:%S %p"],
      ["%Y", "%C%y"],
      ["%-d", "%e"],
    ];
    fc.assert(
      fc.property(time, fc.constantFrom(...same), (date, [a, b]) => {
        expect(strftime(date, a)).toBe(strftime(date, b).trim());
      }),
    );
  });

  it("numbers weeks from the first of January and by ISO 8601", () => {
    fc.assert(
      fc.property(time, (date) => {
        const tomorrow = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, 12);
        const week = (day: Date, directive: string): string => strftime(day, directive);
        const isNewWeek = strftime(tomorrow, "%u") === "1";
        expect(week(date, "%G-%V") !== week(tomorrow, "%G-%V")).toBe(isNewWeek);
        if (date.getFullYear() === tomorrow.getFullYear()) {
          expect(Number(week(tomorrow, "%W")) - Number(week(date, "%W"))).toBe(isNewWeek ? 1 : 0);
          expect(Number(week(tomorrow, "%U")) - Number(week(date, "%U"))).toBe(
            strftime(tomorrow, "%w") === "0" ? 1 : 0,
          );
        }
        expect(Math.abs(Number(week(date, "%G")) - date.getFullYear())).toBeLessThan(2);
      }),
    );
  });

  it("leaves text without directives alone", () => {
    fc.assert(
      fc.property(time, fc.string(), (date, text) => {
        fc.pre(!text.includes("%"));
        expect(strftime(date, text)).toBe(text);
      }),
    );
  });

  // As CPython prints them with glibc.
  it.each([
    ["2024-12-30T09:05:07.042", "%d %b %Y", "30 Dec 2024"],
    ["2024-12-30T09:05:07.042", "%Y-%m-%d", "2024-12-30"],
    ["2024-12-30T09:05:07.042", "%B %d, %Y", "December 30, 2024"],
    ["2024-12-30T09:05:07.042", "%A, %-d %B %Y %I:%M %p", "Monday, 30 December 2024 09:05 AM"],
    ["2024-12-30T09:05:07.042", "%a %A %b %B %h %p %P", "Mon Monday Dec December Dec AM am"],
    [
      "2024-12-30T09:05:07.042",
      "%c|%x|%X|%r|%D|%F|%T|%R",
      "Mon Dec 30 09:05:07 2024|12/30/24|09:05:07|09:05:07 AM|12/30/24|2024-12-30|09:05:07|09:05",
    ],
    ["2024-12-30T09:05:07.042", "%H %I %k %l %M %S %f", "09 09  9  9 05 07 042000"],
    ["2024-12-30T09:05:07.042", "%j %U %W %V %G %g %u %w %C %y", "365 52 53 01 2025 25 1 1 20 24"],
    [
      "2024-12-30T09:05:07.042",
      "%-d %-m %-I %_d %0e %5d %-5d %^a %#p %^B %_10Y %^10b",
      "30 12 9 30 30 00030    30 MON am DECEMBER       2024        DEC",
    ],
    ["2024-12-30T09:05:07.042", "%n%t%%|%z%Z|%Q %E %- %", "\n\t%||%Q %E %- %"],
    ["2024-12-30T09:05:07.042", "%Oy %Ey %Od %Ed é😀", "24 24 30 %Ed é😀"],
    ["2026-01-01T00:00:00.000", "%d %b %Y", "01 Jan 2026"],
    ["2026-01-01T00:00:00.000", "%Y-%m-%d", "2026-01-01"],
    ["2026-01-01T00:00:00.000", "%B %d, %Y", "January 01, 2026"],
    ["2026-01-01T00:00:00.000", "%A, %-d %B %Y %I:%M %p", "Thursday, 1 January 2026 12:00 AM"],
    ["2026-01-01T00:00:00.000", "%a %A %b %B %h %p %P", "Thu Thursday Jan January Jan AM am"],
    [
      "2026-01-01T00:00:00.000",
      "%c|%x|%X|%r|%D|%F|%T|%R",
      "Thu Jan  1 00:00:00 2026|01/01/26|00:00:00|12:00:00 AM|01/01/26|2026-01-01|00:00:00|00:00",
    ],
    ["2026-01-01T00:00:00.000", "%H %I %k %l %M %S %f", "00 12  0 12 00 00 000000"],
    ["2026-01-01T00:00:00.000", "%j %U %W %V %G %g %u %w %C %y", "001 00 00 01 2026 26 4 4 20 26"],
    [
      "2026-01-01T00:00:00.000",
      "%-d %-m %-I %_d %0e %5d %-5d %^a %#p %^B %_10Y %^10b",
      "1 1 12  1 01 00001     1 THU am JANUARY       2026        JAN",
    ],
    ["2026-01-01T00:00:00.000", "%n%t%%|%z%Z|%Q %E %- %", "\n\t%||%Q %E %- %"],
    ["2026-01-01T00:00:00.000", "%Oy %Ey %Od %Ed é😀", "26 26 01 %Ed é😀"],
    ["2023-07-16T13:45:59.999", "%d %b %Y", "16 Jul 2023"],
    ["2023-07-16T13:45:59.999", "%Y-%m-%d", "2023-07-16"],
    ["2023-07-16T13:45:59.999", "%B %d, %Y", "July 16, 2023"],
    ["2023-07-16T13:45:59.999", "%A, %-d %B %Y %I:%M %p", "Sunday, 16 July 2023 01:45 PM"],
    ["2023-07-16T13:45:59.999", "%a %A %b %B %h %p %P", "Sun Sunday Jul July Jul PM pm"],
    [
      "2023-07-16T13:45:59.999",
      "%c|%x|%X|%r|%D|%F|%T|%R",
      "Sun Jul 16 13:45:59 2023|07/16/23|13:45:59|01:45:59 PM|07/16/23|2023-07-16|13:45:59|13:45",
    ],
    ["2023-07-16T13:45:59.999", "%H %I %k %l %M %S %f", "13 01 13  1 45 59 999000"],
    ["2023-07-16T13:45:59.999", "%j %U %W %V %G %g %u %w %C %y", "197 29 28 28 2023 23 7 0 20 23"],
    [
      "2023-07-16T13:45:59.999",
      "%-d %-m %-I %_d %0e %5d %-5d %^a %#p %^B %_10Y %^10b",
      "16 7 1 16 16 00016    16 SUN pm JULY       2023        JUL",
    ],
    ["2023-07-16T13:45:59.999", "%n%t%%|%z%Z|%Q %E %- %", "\n\t%||%Q %E %- %"],
    ["2023-07-16T13:45:59.999", "%Oy %Ey %Od %Ed é😀", "23 23 16 %Ed é😀"],
  ])("%s as %j", (local, format, expected) => {
    expect(strftime(new Date(local), format)).toBe(expected);
  });

  it("prints the time that the render is given", () => {
    const template = compileTemplate("Today: {{ strftime_now('%d %b %Y') }}");
    expect(template.render({}, { now: new Date(2024, 6, 26, 12) })).toBe("Today: 26 Jul 2024");
  });

  it("does not fill a width beyond the limit", () => {
    const template = compileTemplate("{{ strftime_now('%999999999999d') }}");
    expect(() => template.render({})).toThrow(expect.objectContaining({ code: "template_limit" }));
  });
});
