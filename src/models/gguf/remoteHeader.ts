import { FIRST_READ, parseFront } from "./parseHeader.ts";
import { RemoteFront, type RemoteOptions } from "./remoteFront.ts";
import type { GgufHeader } from "./types.ts";

/**
 * Reads the header of a GGUF file over HTTP: ranges from its front, as many as the header takes. Of a server that knows no
 * ranges the answer is read as far as the header goes, and closed.
 *
 * @throws TitoError `model_unreachable` with `details.status` where there is an answer; `invalid_gguf`; `aborted`
 * @example
 * const { tensors } = await fetchGgufHeader("https://example.com/model.gguf", { token: process.env.TOKEN });
 */
export async function fetchGgufHeader(url: string, options: RemoteOptions = {}): Promise<GgufHeader> {
  const remote = new RemoteFront(url, options);
  try {
    for (let length = FIRST_READ; ; ) {
      const { bytes, size } = await remote.read(length);
      const parsed = parseFront(bytes, size, remote.place);
      if (!("needed" in parsed)) return parsed;
      length = parsed.needed;
    }
  } finally {
    remote.close();
  }
}
