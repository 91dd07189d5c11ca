import { badData } from '../../platform/errors.ts';

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i;
const MAX_LENGTH = 100;

/** The result for the last valid header. Almost all clients send the same one. */
let lastResult = { header: '4.2.0', inline: false };

/** Whether the SDK needs segment constraints inside the strategies, because it implements a specification older than 4.2.0. */
export function needsInlineSegments(header: string | string[] | undefined): boolean {
  // An empty header comes from a proxy or an SDK that has no version to send.
  if (header === undefined || header === '') return true;
  if (header === lastResult.header) return lastResult.inline;
  const text = String(header);
  const [, major, minor, , prerelease] = VERSION.exec(text) ?? [];
  if (text.length > MAX_LENGTH || major === undefined || minor === undefined) {
    throw badData([
      {
        message: `The header Unleash-Client-Spec is "${text.slice(0, MAX_LENGTH)}". It must be a version like 5.2.0.`,
        path: '/headers/unleash-client-spec',
      },
    ]);
  }
  const [firstSupported, requested] = [4 * 1e9 + 2, Number(major) * 1e9 + Number(minor)];
  const isPrerelease = prerelease !== undefined && text.startsWith('4.2.0-');
  lastResult = { header: text, inline: requested < firstSupported || isPrerelease };
  return lastResult.inline;
}
