/** Where an image part's bytes come from. Only `data` and `bytes` can be read without `loadImages`. */
export type ImageSource =
  | { readonly kind: "data"; readonly uri: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "file"; readonly path: string };

/** What a content part shows. Video and audio are told apart so that a family can refuse them by name. */
export type MediaPart =
  | { readonly kind: "image"; readonly source: ImageSource }
  | { readonly kind: "video" }
  | { readonly kind: "audio" };

/** Formats whose header can be read. */
export type ImageMime = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/bmp";

/** What an image's hash was taken of: its RGB pixels, or the bytes of its file. */
export type HashOf = "pixels" | "file";

/** An image whose header has been read. Pixels and hash are computed when they are first asked for. */
export interface ImageData {
  /** Pixels, as stored in the file: a rotation noted in its EXIF data is not applied. */
  readonly width: number;
  readonly height: number;
  readonly mime: ImageMime;
  /** The file. */
  readonly bytes: Uint8Array;
  /** RGB, 3 bytes a pixel, row by row; null where decoding would take a heavy dependency (all but PNG). */
  pixels(): Uint8Array | null;
  /**
   * 32 hexadecimal digits. PNG: of SHA-256 over the RGB pixels and the text `(width, height)`, so that the same picture has
   * the same hash however it was stored. Other formats: of SHA-256 over the file.
   */
  readonly hash: string;
  readonly hashOf: HashOf;
}

/** What a model's image processor makes of an image. */
export interface ProcessedImage {
  /** How many placeholder tokens stand for the image. */
  readonly tokens: number;
  /** Patches along [time, height, width], for models that take it (`image_grid_thw`, `grid_thws`). */
  readonly grid?: readonly number[];
  /** Size in pixels that the image is resized to. */
  readonly size?: { readonly width: number; readonly height: number };
  /** The processor's output for an engine or a trainer (`pixel_values` …), as it came. */
  readonly values?: unknown;
}

/** Turns an image into what a model needs of it. `process` must be pure: results are cached by content. */
export interface ImageProcessor {
  readonly name: string;
  process(image: ImageData): ProcessedImage;
}

/** As `ImageProcessor`, for processors that need to wait; only `loadImages` takes it. */
export interface AsyncImageProcessor {
  readonly name: string;
  process(image: ImageData, options: { readonly signal?: AbortSignal | undefined }): Promise<ProcessedImage>;
}

/** An image as a family's span writer sees it. */
export interface ResolvedImage extends ProcessedImage {
  readonly hash: string;
  readonly hashOf: HashOf;
  readonly width: number;
  readonly height: number;
}

/** Reads and processes the image parts of one render or bridge. */
export interface ImageResolver {
  /**
   * `at` names the part in errors, such as `messages[2].content[0]`.
   * @throws TitoError `unsupported_content` if the part is no image, `invalid_image` if it cannot be read, `image_not_loaded`
   * if it is a path or a URL that `loadImages` has not loaded, `image_processor_missing` if nothing knows the model's rule.
   */
  resolve(part: unknown, at?: string): ResolvedImage;
}

/** Where an image stands among rendered ids, and what the model is given for it. */
export interface PlacedImage {
  readonly hash: string;
  /** Index of its message. */
  readonly message: number;
  /** Index of its first placeholder token. */
  readonly offset: number;
  /** Number of placeholder tokens. */
  readonly length: number;
  readonly grid?: readonly number[];
  readonly values?: unknown;
}

/** What stands beside rendered ids for an engine or a trainer: the images in order of appearance. */
export interface MultimodalData {
  readonly images: readonly PlacedImage[];
}
