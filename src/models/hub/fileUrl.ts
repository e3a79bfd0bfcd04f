import type { Repo, RepoFile } from "./repo.ts";

/** Where a hub gives a file: `{endpoint}/{id}/resolve/{revision}/{file}`. */
export function fileUrl({ id, settings }: Repo, { name }: RepoFile, revision: string): string {
  const path = name.split("/").map(encodeURIComponent).join("/");
  return `${settings.endpoint}/${id}/resolve/${encodeURIComponent(revision)}/${path}`;
}
