// npm drops a platform package from the lock file when the registry it asked does not (yet) serve that platform, and
// `npm ci` then refuses the lock file on every machine. This adds the missing entries: name, version, os and cpu as the
// name says them. They carry no integrity hash, so npm resolves them when such a machine installs.
import { readFileSync, writeFileSync } from "node:fs";

const OS = {
  android: "android",
  darwin: "darwin",
  mac: "darwin",
  win32: "win32",
  win: "win32",
  linux: "linux",
  linuxmusl: "linux",
  freebsd: "freebsd",
  openharmony: "openharmony",
  netbsd: "netbsd",
  openbsd: "openbsd",
  sunos: "sunos",
  aix: "aix",
  wasm32: "wasm32",
};
const CPU = {
  x64: "x64",
  arm64: "arm64",
  arm: "arm",
  armv7l: "arm",
  ia32: "ia32",
  riscv64: "riscv64",
  ppc64: "ppc64",
  ppc64le: "ppc64",
  s390x: "s390x",
  loong64: "loong64",
  mips64el: "mips64el",
  wasm32: "wasm32",
};

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] || lock.packages[`${path}/${key}`]) continue;
    const words = name.replace(/^@[^/]+\/(cli-|binding-)?/, "").split("-");
    const os = words.map((word) => OS[word]).find(Boolean);
    const cpu = words.map((word) => CPU[word]).find(Boolean);
    lock.packages[key] = {
      version: version.replace(/^[\^~]/, ""),
      optional: true,
      ...(path && lock.packages[path].dev ? { dev: true } : {}),
      ...(cpu ? { cpu: [cpu] } : {}),
      ...(os ? { os: [os] } : {}),
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "complete already" : `added ${added.length}: ${added.join(", ")}`);
