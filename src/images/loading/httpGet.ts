import { get as getHttp, type IncomingMessage, type RequestOptions } from "node:http";
import { get as getHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./addresses.ts";
import type { Answer, Permission } from "./fetchUrl.ts";
import type { LoadLimits } from "./options.ts";

/**
 * One GET, no redirects. The address is checked where the connection is made, so that a name which resolves to another
 * address the second time gains nothing.
 */
export async function httpGet(
  url: URL,
  { publicOnly }: Permission,
  { lookup }: LoadLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const options: RequestOptions = {
    signal,
    agent: false,
    lookup: checkedLookup(lookup, publicOnly),
    headers: { accept: "image/*", "accept-encoding": "identity" },
  };
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === "https:" ? getHttps : getHttp)(url, options, resolve);
    request.on("error", reject);
  });
  return {
    status: message.statusCode ?? 0,
    header: (name) => {
      const value = message.headers[name];
      return typeof value === "string" ? value : null;
    },
    body: message,
    close: () => message.destroy(),
  };
}

function checkedLookup(lookup: LoadLimits["lookup"], publicOnly: boolean): LookupFunction {
  return (host, options, callback) => {
    lookup(host).then(
      (found) => {
        const usable = publicOnly ? found.filter(({ address }) => isPublicAddress(address)) : [...found];
        if (usable.length === 0) callback(privateAddress(), "", 0);
        else if (options.all) callback(null, usable);
        else callback(null, usable[0].address, usable[0].family);
      },
      (error) => callback(error, "", 0),
    );
  };
}

function privateAddress(): NodeJS.ErrnoException {
  return Object.assign(new Error("no public address"), { code: "PRIVATE_ADDRESS" });
}
