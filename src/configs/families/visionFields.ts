import { z } from "zod";

/** How many entries a cache keeps at most. */
export const cacheBound = z.int().nonnegative("a number from 0").default(256);

/** Fields of formats that place images. */
export const imageFields = {
  /** How many processed images a renderer keeps; the oldest one goes first. 0 keeps none. */
  imageCacheMax: cacheBound,
};

/** Fields of the Qwen formats that place images and videos. */
export const visionFields = {
  ...imageFields,
  /** Write `Picture 1: `, `Video 1: ` … before each image and video, counted through the conversation. */
  addVisionId: z.boolean().default(false),
};
