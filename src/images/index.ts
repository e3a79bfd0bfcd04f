export { createImageCache, type ImageCache } from "./imageCache.ts";
export { imagePart, mediaPart, unsupportedMedia } from "./imagePart.ts";
export { type ImageResolverOptions, imageResolver } from "./imageResolver.ts";
export { type ImageStore, mergeImageStores } from "./imageStore.ts";
export { loadImages } from "./loadImages.ts";
export type { AllowedPlaces, LoadImagesOptions } from "./loading/options.ts";
export { joinMultimodal, mmTokenTypeIds, type WithImages } from "./multimodal.ts";
export { readImage } from "./readImage.ts";
export * from "./rules/index.ts";
export {
  type TransformersImageProcessorOptions,
  type TransformersPackage,
  type TransformersProcessor,
  transformersImageProcessor,
} from "./transformersImageProcessor.ts";
export type { TransformersOutput } from "./transformersOutput.ts";
export type * from "./types.ts";
