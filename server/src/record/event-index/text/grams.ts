import { addPosition, type Entry, makeEntries } from './entries.ts';
import { gramsOf } from './split.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII = /^[\u0000-\u007f]*$/;

/** Collects the runs of 1 and 2 characters. A text has about 1,000 of each, so those of ASCII are looked up by their codes. */
export function makeGrams() {
  const entries = makeEntries();
  /** By codes: the entry, and the position of the last text that had it. An entry is only touched once per text. */
  const known: (Entry | undefined)[] = new Array(128 * 129);
  const seenAt = new Int32Array(128 * 129).fill(-1);
  const note = (key: number, position: number, text: string, from: number, to: number) => {
    if (seenAt[key] === position) return;
    seenAt[key] = position;
    known[key] ??= entries.get(text.slice(from, to));
    addPosition(known[key], position);
  };
  const addAscii = (position: number, text: string) => {
    let before = -1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      note(code, position, text, at, at + 1);
      if (before >= 0) note(128 + before * 128 + code, position, text, at - 1, at + 1);
      before = code;
    }
  };
  return {
    list: entries.list,
    add: (position: number, text: string) => {
      if (ASCII.test(text)) addAscii(position, text);
      else
        for (const gram of [...gramsOf(text, 1), ...gramsOf(text, 2)])
          addPosition(entries.get(gram), position);
    },
  };
}
