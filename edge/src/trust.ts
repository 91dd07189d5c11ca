import { readAnnouncement, signerOf } from '../../plane/src/feed/announcement.ts';
import { keysOf } from '../../plane/src/feed/enrolment.ts';
import type { TrustedKeys } from '../../plane/src/snapshot/format.ts';
import { readIfPresent, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const FILE = 'keys.json';
/** An announcement has two keys and a signature. */
const MAX_CHARACTERS = 2_000;
/** Two for each time that the servers' key was replaced. */
const MAX_ACCEPTED = 64;

export type Trust = {
  /** The keys whose signatures count. The map changes when the servers' key is replaced. */
  readonly keys: TrustedKeys;
  /** The announcements that led to these keys, and the last one that arrived, for edges that read from this one. */
  readonly announcements: readonly string[];
  /** Whether other keys count after this announcement. */
  isNews: (text: string) => boolean;
  /** Takes an announcement. Returns whether other keys count now. */
  take: (text: string) => Promise<boolean>;
};

/**
 * The keys of the enrolment, and those that the servers announced since. Only the newest key can announce others, so neither an
 * old key nor a recorded announcement can bring back a key that was removed.
 */
export async function openTrust(
  enrolled: readonly string[],
  folder: string | undefined,
  log: Log,
): Promise<Trust> {
  const keys = new Map(keysOf(enrolled));
  let accepted: string[] = [];
  let last: string | undefined;
  let isWarned = false;

  /** The keys that replace those that count now. Undefined: none do. */
  const read = (text: string): TrustedKeys | undefined => {
    const [newest] = keys.keys();
    if (text.length > MAX_CHARACTERS || signerOf(text) !== newest) return undefined;
    try {
      const announced = keysOf(readAnnouncement(text, keys));
      return [...announced.keys()].join() === [...keys.keys()].join() ? undefined : announced;
    } catch (error) {
      // Whoever sends it can send it a thousand times a second.
      if (!isWarned) log.warn({ err: error }, 'announced keys ignored');
      isWarned = true;
      return undefined;
    }
  };

  const apply = (text: string): boolean => {
    const announced = read(text);
    if (!announced) return false;
    keys.clear();
    for (const [id, key] of announced) keys.set(id, key);
    accepted = [...accepted, text].slice(-MAX_ACCEPTED);
    return true;
  };

  const load = async (): Promise<void> => {
    const text = folder === undefined ? undefined : (await readIfPresent(folder, FILE))?.toString();
    // Each is verified again, from the keys of the enrolment on.
    if (text !== undefined) for (const one of JSON.parse(text)) apply(String(one));
  };
  await load().catch(error => log.warn({ err: error }, 'announced keys not readable'));

  return {
    keys,
    get announcements() {
      return [...new Set([...accepted, ...(last === undefined ? [] : [last])])];
    },
    isNews: text => read(text) !== undefined,
    take: async text => {
      if (text.length <= MAX_CHARACTERS) last = text;
      if (!apply(text)) return false;
      log.warn({ keys: [...keys.keys()] }, 'signing keys replaced');
      if (folder !== undefined)
        await replaceFile(folder, FILE, JSON.stringify(accepted)).catch(error =>
          log.warn({ err: error, folder }, 'announced keys not written'),
        );
      return true;
    },
  };
}
