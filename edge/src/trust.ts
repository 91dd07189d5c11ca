import { readAnnouncement, readSignerId } from '@halyard/plane/feed/announcement.ts';
import { parseTrustedKeys } from '@halyard/plane/feed/enrolment.ts';
import type { TrustedKeys } from '@halyard/plane/snapshot/format.ts';
import { readIfPresent, replaceFile } from './files.ts';
import type { Log } from './log.ts';

const FILE = 'keys.json';
/** An announcement has two keys and a signature. */
const MAX_CHARACTERS = 2_000;
/** Two keys for each replacement of the servers' key. */
const MAX_ACCEPTED = 64;

export type Trust = {
  /** The keys whose signatures are trusted. The map changes when the servers' key is replaced. */
  readonly keys: TrustedKeys;
  /** The announcements that led to these keys, and the last one that arrived, for edges that read from this one. */
  readonly announcements: readonly string[];
  /** Returns whether different keys are trusted after this announcement. */
  changesKeys: (text: string) => boolean;
  /** Takes an announcement. Returns whether the trusted keys have changed. */
  take: (text: string) => Promise<boolean>;
};

/**
 * The keys of the enrolment, and those that servers have announced since. Only the newest key can announce others, so neither an
 * old key nor a recorded announcement can bring back a key that was removed.
 */
export async function openTrust(
  enrolledKeys: readonly string[],
  folder: string | undefined,
  log: Log,
): Promise<Trust> {
  const keys = new Map(parseTrustedKeys(enrolledKeys));
  let acceptedAnnouncements: string[] = [];
  let lastAnnouncement: string | undefined;
  let hasWarned = false;

  /** Returns the keys that replace the trusted keys, or undefined if they stay the same. */
  const readNewKeys = (text: string): TrustedKeys | undefined => {
    const [newest] = keys.keys();
    if (text.length > MAX_CHARACTERS || readSignerId(text) !== newest) return undefined;
    try {
      const announcedKeys = parseTrustedKeys(readAnnouncement(text, keys));
      return [...announcedKeys.keys()].join() === [...keys.keys()].join() ? undefined : announcedKeys;
    } catch (error) {
      // Logged once, because a sender can repeat an announcement a thousand times a second.
      if (!hasWarned) log.warn({ err: error }, 'announced keys ignored');
      hasWarned = true;
      return undefined;
    }
  };

  const apply = (text: string): boolean => {
    const announcedKeys = readNewKeys(text);
    if (!announcedKeys) return false;
    keys.clear();
    for (const [id, key] of announcedKeys) keys.set(id, key);
    acceptedAnnouncements = [...acceptedAnnouncements, text].slice(-MAX_ACCEPTED);
    return true;
  };

  const load = async (): Promise<void> => {
    const text = folder === undefined ? undefined : (await readIfPresent(folder, FILE))?.toString();
    // Each announcement is verified again, starting with the keys of the enrolment.
    if (text !== undefined) for (const announcement of JSON.parse(text)) apply(String(announcement));
  };
  await load().catch(error => log.warn({ err: error }, 'announced keys not readable'));

  return {
    keys,
    get announcements() {
      return [
        ...new Set([...acceptedAnnouncements, ...(lastAnnouncement === undefined ? [] : [lastAnnouncement])]),
      ];
    },
    changesKeys: text => readNewKeys(text) !== undefined,
    take: async text => {
      if (text.length <= MAX_CHARACTERS) lastAnnouncement = text;
      if (!apply(text)) return false;
      log.warn({ keys: [...keys.keys()] }, 'signing keys replaced');
      if (folder !== undefined)
        await replaceFile(folder, FILE, JSON.stringify(acceptedAnnouncements)).catch(error =>
          log.warn({ err: error, folder }, 'announced keys not written'),
        );
      return true;
    },
  };
}
