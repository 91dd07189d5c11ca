import { escapeControls } from './caller-text.ts';
import s from './Json.module.css';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;
/** Highlighting a longer string would freeze the page. */
const MAX_LENGTH = 200_000;

type Token = { text: string; kind?: 'key' | 'text' | 'word' | 'number' };

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  for (const match of text.matchAll(TOKEN)) {
    tokens.push({ text: text.slice(offset, match.index) });
    const token = escapeControls(match[1] ?? match[0]);
    if (match[1] && match[2]) tokens.push({ text: token, kind: 'key' }, { text: match[2] });
    else tokens.push({ text: token, kind: match[1] ? 'text' : match[3] ? 'word' : 'number' });
    offset = match.index + match[0].length;
  }
  return [...tokens, { text: text.slice(offset) }];
}

/** JSON with colored keys, strings and numbers, and escaped control and bidi characters. A string is shown as it is, with any JSON in it colored. */
export function Json({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={s.json} tabIndex={0} aria-label={label}>
      <code className={s.code}>
        {tokenize(text.slice(0, MAX_LENGTH)).map((token, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens never reorder
          <span key={index} data-kind={token.kind}>
            {token.text}
          </span>
        ))}
      </code>
    </section>
  );
}
