import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleX, Lock, TriangleAlert } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { projectsQuery } from '../shell/queries.ts';
import { makeProjectLabeler } from '../ui/project-options.ts';
import { formatCount } from '../ui/words.ts';
import { flagsByNameQuery, type ImportReport, MAX_SHOWN_NAMES } from './queries.ts';
import s from './transfer.module.css';
import { describeFinding, isAboutForeignNames } from './words.ts';

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
            {describeFinding(message)}
            <Items names={affectedItems} />
            {isAboutForeignNames(message) && <ForeignProjects names={affectedItems} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Links to the projects that have flags with these names. The links open in a new tab, so that the import stays open. */
function ForeignProjects({ names }: { names: readonly string[] }) {
  const { data: flags = [] } = useQuery(flagsByNameQuery(names));
  const { data: projects = [] } = useQuery(projectsQuery);
  const label = makeProjectLabeler(projects);
  const foreignProjects = projects.filter(({ id }) => flags.some(({ project }) => project === id));
  if (foreignProjects.length === 0) return null;
  return (
    <p>
      {foreignProjects.length === 1 ? 'Project: ' : 'Projects: '}
      {foreignProjects.map((project, index) => (
        <Fragment key={project.id}>
          {index > 0 && ', '}
          <Link
            to="/projects/$projectId"
            params={{ projectId: project.id }}
            target="_blank"
            className={s.link}
          >
            {label(project)}
          </Link>
        </Fragment>
      ))}
    </p>
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
    {names.slice(0, MAX_SHOWN_NAMES).map(name => (
      <span key={name} className="mono">
        {name}
      </span>
    ))}
    {names.length > MAX_SHOWN_NAMES && (
      <span className="muted">and {names.length - MAX_SHOWN_NAMES} more</span>
    )}
  </p>
);
