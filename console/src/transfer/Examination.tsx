import { CircleX, Lock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { counted } from '../ui/words.ts';
import type { ImportReport } from './queries.ts';
import s from './transfer.module.css';

const SHOWN = 20;

/** The server's findings about an import: obstacles first, then the effect. */
export function Examination({ report }: { report: ImportReport }) {
  const { errors, permissions, warnings, effect } = report;
  return (
    <div className={s.examination}>
      <Findings
        title="Conflicts"
        tone="bad"
        icon={<CircleX size={15} aria-hidden="true" />}
        findings={errors}
      />
      <Findings
        title="Missing permissions"
        tone="bad"
        icon={<Lock size={15} aria-hidden="true" />}
        findings={permissions}
      />
      <Names title={counted(effect.created.length, 'new flag')} tone="added" names={effect.created} />
      <Names title={`${counted(effect.overwritten.length, 'flag')} overwritten`} names={effect.overwritten} />
      <Names title={`${counted(effect.leftOut.length, 'archived flag')} left out`} names={effect.leftOut} />
      <Names
        title={counted(effect.contextFields.length, 'new context field')}
        tone="added"
        names={effect.contextFields}
      />
      <Names title={counted(effect.tagTypes.length, 'new tag type')} tone="added" names={effect.tagTypes} />
      <Findings
        title="Warnings"
        tone="warn"
        icon={<TriangleAlert size={15} aria-hidden="true" />}
        findings={warnings}
      />
    </div>
  );
}

function Findings({
  title,
  tone,
  icon,
  findings,
}: {
  title: string;
  tone: 'bad' | 'warn';
  icon: ReactNode;
  findings: ImportReport['errors'];
}) {
  if (findings.length === 0) return null;
  return (
    <section aria-label={title} data-tone={tone}>
      <h3>
        {icon} {title}
      </h3>
      <ul>
        {findings.map(({ message, affectedItems }) => (
          <li key={message}>
            {message}
            <Items names={affectedItems} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Names({ title, tone, names }: { title: string; tone?: 'added'; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <section aria-label={title} data-tone={tone}>
      <h3>{title}</h3>
      <Items names={names} />
    </section>
  );
}

const Items = ({ names }: { names: readonly string[] }) => (
  <p className={s.names}>
    {names.slice(0, SHOWN).map(name => (
      <span key={name} className="mono">
        {name}
      </span>
    ))}
    {names.length > SHOWN && <span className="muted">and {names.length - SHOWN} more</span>}
  </p>
);
