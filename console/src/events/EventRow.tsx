import {
  Ban,
  Clock,
  Download,
  Flag,
  FolderInput,
  KeyRound,
  Link2,
  type LucideIcon,
  Pencil,
  Plus,
  Power,
  Puzzle,
  RotateCcw,
  Star,
  Tag,
  Trash2,
  Upload,
} from 'lucide-react';
import { memo } from 'react';
import { Env } from '../ui/Env.tsx';
import { EventBrief } from '../ui/EventBrief.tsx';
import { Person } from '../ui/Person.tsx';
import { Sentence } from '../ui/Sentence.tsx';
import { Time } from '../ui/Time.tsx';
import { formatCount } from '../ui/words.ts';
import s from './events.module.css';
import type { EventsRow } from './rows.ts';

/** The icons and colors by event type. The first pattern that matches applies. */
const GLYPHS: readonly (readonly [RegExp, LucideIcon, string?])[] = [
  [/environment-enabled$/, Power, 'on'],
  [/environment-disabled$/, Power],
  [/^tag-|-tags?-|tagged$/, Tag],
  [/favorited/, Star],
  [/token|password|session|login|^pat-/, KeyRound],
  [/addon|integration/, Puzzle],
  [/link|depend/, Link2],
  [/stale|completed|stage-entered$/, Flag],
  [/project-change$/, FolderInput, 'info'],
  [/snoozed$/, Clock],
  [/exported$/, Download],
  [/import(ed)?$/, Upload, 'on'],
  [/(deprecated|deactivated)$/, Ban, 'bad'],
  [/(revived|reactivated)$/, RotateCcw, 'on'],
  [/(deleted|removed?|archived)$/, Trash2, 'bad'],
  [/updated?$|changed$/, Pencil, 'info'],
];

function Glyph({ type }: { type: string }) {
  const [, Icon, tone] = GLYPHS.find(([pattern]) => pattern.test(type)) ?? [undefined, Plus, 'on'];
  return (
    <i className={s.glyph} data-tone={tone}>
      <Icon size={9} strokeWidth={2.6} aria-hidden="true" />
    </i>
  );
}

export const EventRow = memo(function EventRow({ row: { lead, events } }: { row: EventsRow }) {
  return (
    <div className={s.row}>
      <span className={s.avatar}>
        <Person name={lead.createdBy} size={26} />
        <Glyph type={lead.type} />
      </span>
      <span className={s.main}>
        <span className={s.line}>
          <Sentence event={lead} short />
        </span>
        <span className={s.meta}>
          {lead.environment && <Env name={lead.environment} />}
          {lead.project && <span>{lead.project}</span>}
          {lead.comment && <q>{lead.comment}</q>}
          <EventBrief event={lead} />
          {events.length > 1 && <span className={s.more}>+{formatCount(events.length - 1, 'event')}</span>}
        </span>
      </span>
      <Time at={lead.createdAt} format="clock" className={s.time} />
    </div>
  );
});
