import { CircleX, Lock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '../ui/words.ts';
import type { ImportReport } from './queries.ts';
import s from './transfer.module.css';

const MAX_SHOWN = 20;

/** Shows the server's findings about an import: first the problems, then the effect. */
export function ImportCheck({ report }: { report: ImportReport }) {
  const { errors, permissions, effect } = report;
  // The warning about overwritten flags is omitted, because the effect names these flags.
  const warnings = report.warnings.filter(
    ({ affectedItems }) => affectedItems.join() !== effect.overwritten.join(),
  );
  return (
    <div className={s.check}>
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
      <Names title={formatCount(effect.created.length, 'new flag')} tone="added" names={effect.created} />
      <Names
        title={`${formatCount(effect.overwritten.length, 'flag')} overwritten`}
        names={effect.overwritten}
      />
      <Names
        title={`${formatCount(effect.leftOut.length, 'archived flag')} omitted`}
        names={effect.leftOut}
      />
      <Names
        title={formatCount(effect.contextFields.length, 'new context field')}
        tone="added"
        names={effect.contextFields}
      />
      <Names
        title={formatCount(effect.tagTypes.length, 'new tag type')}
        tone="added"
        names={effect.tagTypes}
      />
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
    {names.slice(0, MAX_SHOWN).map(name => (
      <span key={name} className="mono">
        {name}
      </span>
    ))}
    {names.length > MAX_SHOWN && <span className="muted">and {names.length - MAX_SHOWN} more</span>}
  </p>
);
