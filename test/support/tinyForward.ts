import { readFileSync } from "node:fs";
import { readGgufHeader } from "../../src/models/index.ts";

type Vector = Float64Array;
type Matrix = (input: Vector) => Vector;

const WIDTH = 32;
const HEADS = 2;
const HEAD = 16;
const EPSILON = 1e-6;

/**
 * What a model of `writeTinyModel` (qwen3, F32) says of the id behind each id, as natural log-probabilities, computed from the weights in
 * the file in double precision.
 */
export function tinyForward(path: string): (ids: readonly number[]) => Vector[] {
  const tensor = readTensors(path);
  const matrix = (name: string): Matrix => {
    const { inputs, outputs, values } = tensor(name);
    const row = (at: number) => values.subarray(at * inputs, (at + 1) * inputs);
    return (input) => Float64Array.from({ length: outputs }, (_, at) => dot(input, row(at)));
  };
  const [q, k, v, out] = ["q", "k", "v", "output"].map((name) => matrix(`blk.0.attn_${name}.weight`)) as Matrix[];
  const [gate, up, down] = ["gate", "up", "down"].map((name) => matrix(`blk.0.ffn_${name}.weight`)) as Matrix[];
  const output = matrix("output.weight");
  const embeddings = tensor("token_embd.weight").values;
  const embedding = (id: number) => embeddings.slice(id * WIDTH, (id + 1) * WIDTH);
  return (ids) => {
    const states = ids.map((id) => embedding(id));
    const keys: Vector[][] = [];
    const values: Vector[][] = [];
    return states.map((state, place) => {
      const normed = norm(state);
      keys.push(headsOf(k!(normed)).map((one) => rotated(norm(one), place)));
      values.push(headsOf(v!(normed)));
      const queries = headsOf(q!(normed)).map((one) => rotated(norm(one), place));
      const attended = queries.flatMap((query, head) => {
        const scores = keys.map((key) => dot(query, key[head]!) / Math.sqrt(HEAD));
        const shares = softmax(scores);
        return Array.from({ length: HEAD }, (_, i) =>
          shares.reduce((sum, share, at) => sum + share * values[at]![head]![i]!, 0),
        );
      });
      const hidden = plus(state, out!(Float64Array.from(attended)));
      const wide = norm(hidden);
      const lifted = up!(wide);
      const gated = gate!(wide).map((one, i) => (one / (1 + Math.exp(-one))) * lifted[i]!);
      const logits = output(norm(plus(hidden, down!(gated))));
      const highest = Math.max(...logits);
      const total = highest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0));
      return logits.map((logit) => logit - total);
    });
  };
}

function readTensors(path: string) {
  const file = readFileSync(path);
  const { tensors } = readGgufHeader(path);
  return (name: string) => {
    const { dimensions, offset } = tensors.find((one) => one.name === name)!;
    const [inputs, outputs] = dimensions as [number, number];
    const values = Float64Array.from({ length: inputs * outputs }, (_, i) => file.readFloatLE(offset + i * 4));
    return { inputs, outputs, values };
  };
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

const plus = (a: Vector, b: Vector): Vector => a.map((one, i) => one + b[i]!);

/** The weights of the norms are 1. */
const norm = (one: Vector): Vector => {
  const scale = 1 / Math.sqrt(dot(one, one) / one.length + EPSILON);
  return one.map((value) => value * scale);
};

const headsOf = (one: Vector): Vector[] =>
  Array.from({ length: HEADS }, (_, head) => one.subarray(head * HEAD, (head + 1) * HEAD));

/** The first half of a head turns with the second. */
function rotated(one: Vector, place: number): Vector {
  const half = HEAD / 2;
  const turned = new Float64Array(HEAD);
  for (let i = 0; i < half; i++) {
    const angle = place * 10_000 ** (-i / half);
    const [x, y] = [one[i]!, one[i + half]!];
    turned[i] = x * Math.cos(angle) - y * Math.sin(angle);
    turned[i + half] = x * Math.sin(angle) + y * Math.cos(angle);
  }
  return turned;
}

function softmax(scores: readonly number[]): Vector {
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Float64Array.from(weights, (weight) => weight / total);
}
