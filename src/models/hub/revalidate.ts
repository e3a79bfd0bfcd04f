import { fileUrl } from "./fileUrl.ts";
import type { Repo, RepoFile } from "./repo.ts";
import { request } from "./request.ts";
import { attempts } from "./retry.ts";

/** Whether the hub still has the content of this ETag: one request, whose body is not read. */
export async function isUnchanged(repo: Repo, file: RepoFile, etag: string): Promise<boolean> {
  const { id, settings } = repo;
  const { revision, hasToken } = settings;
  const subject = { id, revision, file: file.name, hasToken };
  const tries = attempts(`${file.name} of ${id}`, settings);
  for (;;) {
    try {
      const answer = await request(fileUrl(repo, file, revision), subject, settings, { "if-none-match": etag }, [304]);
      answer.close();
      return answer.status === 304;
    } catch (failure) {
      await tries.failed(failure);
    }
  }
}
