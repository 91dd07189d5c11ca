import { Link } from '@tanstack/react-router';
import s from './Sentence.module.css';
import { addressOf, type EventSentence, type SentencePart, sentenceParts } from './sentence.ts';

/**
 * The sentence of an event, as the server writes it. Names are bold, flags are monospace.
 * `links`: names lead to their pages. `short`: without the place, for lists that show project and environment apart.
 */
export function Sentence({
  event,
  links,
  short,
}: {
  event: EventSentence;
  links?: boolean;
  short?: boolean;
}) {
  const parts = sentenceParts(event).filter(part => !(short && part.place));
  return (
    <span className={s.sentence}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence never reorders its parts
        <Part key={index} part={part} links={links} />
      ))}
    </span>
  );
}

function Part({ part, links }: { part: SentencePart; links: boolean | undefined }) {
  if (!part.strong) return part.text;
  const style = part.ref?.kind === 'feature' ? s.flag : s.name;
  const address = links ? addressOf(part.ref) : undefined;
  return address ? (
    <Link to={address} className={style}>
      {part.text}
    </Link>
  ) : (
    <b className={style}>{part.text}</b>
  );
}
