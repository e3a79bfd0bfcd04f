/** GGUF files for tests, as bytes: values are written with their type. */
export const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
export const u64 = (value: number | bigint) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
export const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
export const typed = (type: number, ...bytes: Buffer[]) => Buffer.concat([u32(type), ...bytes]);
export const textArray = (values: readonly string[]) => typed(9, u32(8), u64(values.length), ...values.map(text));
export const intArray = (values: readonly number[]) =>
  typed(9, u32(5), u64(values.length), Buffer.from(Int32Array.from(values).buffer));

export interface GgufFile {
  readonly version?: number;
  readonly values?: Readonly<Record<string, Buffer>>;
  readonly tensors?: readonly Buffer[];
  readonly data?: number;
}

export function ggufFile({ version = 3, values = {}, tensors = [], data = 64 }: GgufFile): Buffer {
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    u32(version),
    u64(tensors.length),
    u64(Object.keys(values).length),
    ...Object.entries(values).flatMap(([key, value]) => [text(key), value]),
    ...tensors,
  ]);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), Buffer.alloc(data)]);
}
