import { Link } from '@tanstack/react-router';
import { listAdminEntries } from '../administration/navigation.ts';
import { useMe } from '../api/me.ts';
import s from './Sentence.module.css';
import {
  type EventSentence,
  findLinkTarget,
  getPartText,
  getSentenceParts,
  type SentencePart,
  type SentenceRef,
} from './sentence.ts';

/**
 * An event's sentence, as the server writes it. Names are bold, and flags are monospace. With `links`, names link to their pages.
 * With `short`, the project and environment are omitted, because the list shows them separately.
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
  const parts = getSentenceParts(event).filter(part => !(short && part.place));
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
  const text = getPartText(part);
  const style = part.ref?.kind === 'feature' ? s.flag : s.name;
  return links && part.ref ? (
    <SubjectLink subject={part.ref} className={style}>
      {text}
    </SubjectLink>
  ) : (
    <b className={style}>{text}</b>
  );
}

/** The name of a subject, as a link to its page if the user may open that page. */
function SubjectLink({
  subject,
  className,
  children,
}: {
  subject: SentenceRef;
  className: string | undefined;
  children: string;
}) {
  const entries = listAdminEntries(useMe());
  const target = findLinkTarget(subject, path => entries.some(entry => entry.path === path));
  return target ? (
    <Link {...target} className={className}>
      {children}
    </Link>
  ) : (
    <b className={className}>{children}</b>
  );
}
