import { TitoError } from "../errors.ts";
import type { ImageSource, MediaPart } from "./types.ts";

const imageTypes = new Set(["image", "image_url", "input_image"]);
const videoTypes = new Set(["video", "video_url", "input_video"]);
const audioTypes = new Set(["audio", "audio_url", "input_audio"]);
/** Fields that may hold an image's value, in the order in which they are looked at. */
const imageFields = ["image", "image_url", "input_image", "url", "path"] as const;

/**
 * Tells images, video and audio from text; null for all other parts. A part without `type` counts by its field (`image`,
 * `video_url` …) if that holds something, because data sets fill absent fields with null.
 * @throws TitoError `invalid_image` if an image part has no value that could be one.
 */
export function mediaPart(part: unknown, at = "image part"): MediaPart | null {
  if (typeof part !== "object" || part === null) return null;
  const fields = part as Readonly<Record<string, unknown>>;
  const type = fields.type ?? null;
  const is = (types: ReadonlySet<string>) =>
    typeof type === "string" ? types.has(type) : type === null && [...types].some((field) => Boolean(fields[field]));
  if (is(imageTypes)) return { kind: "image", source: sourceOf(fields, at) };
  if (is(videoTypes)) return { kind: "video" };
  return is(audioTypes) ? { kind: "audio" } : null;
}

/**
 * The image of a part, or null if the part is no image. Read are `{ type: "image", image | url | path | image_url }`,
 * `{ type: "image_url", image_url: { url } }` or a plain string there, and `{ type: "input_image", image_url | input_image }`;
 * the value is a data URI, bytes, an http(s) or file URL, or a path.
 * @throws TitoError `invalid_image` if an image part has no value that could be one.
 */
export function imagePart(part: unknown, at?: string): ImageSource | null {
  const media = mediaPart(part, at);
  return media?.kind === "image" ? media.source : null;
}

/**
 * The refusal of a part that a family cannot show: video, audio, or images where the family has none. The error is
 * returned, not thrown.
 */
export function unsupportedMedia(media: MediaPart["kind"], family: string, at?: string): TitoError {
  const where = at === undefined ? "" : `${at}: `;
  const remedy =
    media === "video"
      ? "Sample frames from it and pass them as image parts."
      : media === "audio"
        ? "Pass a transcript as text."
        : "Leave the image out, or use the renderer of a model that takes images.";
  return new TitoError("unsupported_content", `${where}${family} renders no ${media} parts. ${remedy}`, {
    details: { media, family, ...(at === undefined ? {} : { field: at }) },
  });
}

function sourceOf(part: Readonly<Record<string, unknown>>, at: string): ImageSource {
  for (const field of imageFields) {
    const held = part[field] ?? null;
    if (held === null) continue;
    const value = isUrlHolder(held) ? held.url : held;
    const source = asSource(value);
    if (source) return source;
    throw invalid(at, `its ${field} holds no image`, field);
  }
  throw invalid(at, "it holds no image", undefined);
}

function asSource(value: unknown): ImageSource | null {
  if (value instanceof Uint8Array) return { kind: "bytes", bytes: value };
  if (value instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(value) };
  if (value instanceof URL) return asSource(value.href);
  if (typeof value !== "string" || value === "") return null;
  if (/^data:/i.test(value)) return { kind: "data", uri: value };
  if (/^https?:/i.test(value)) return { kind: "url", url: value };
  if (/^file:/i.test(value)) return { kind: "file", path: value };
  // A letter and a colon are a drive, longer names are schemes that nothing here reads.
  return /^[a-z][a-z0-9+.-]+:/i.test(value) ? null : { kind: "file", path: value };
}

function isUrlHolder(value: unknown): value is { readonly url: unknown } {
  return typeof value === "object" && value !== null && !(value instanceof URL) && "url" in value;
}

function invalid(at: string, what: string, field: string | undefined): TitoError {
  return new TitoError(
    "invalid_image",
    `${at}: ${what}. Pass a data URI, the file's bytes, or a path or an http(s) URL that loadImages has loaded.`,
    { details: { at, ...(field === undefined ? {} : { field }) } },
  );
}

/** A source in words that may go into a log: a URL's host and path without user, query and fragment. */
export function placeOf(source: ImageSource): string {
  switch (source.kind) {
    case "data":
      return "the data URI";
    case "bytes":
      return "the image";
    case "file":
      return `the file ${source.path}`;
    case "url":
      return URL.canParse(source.url) ? placeOfUrl(new URL(source.url)) : "the URL";
  }
}

export function placeOfUrl(url: URL): string {
  return `${url.host}${url.pathname}`;
}
