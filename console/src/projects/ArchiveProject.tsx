import { Link } from '@tanstack/react-router';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { toast } from '../ui/toasts.ts';
import { formatCount } from '../ui/words.ts';
import s from './projects.module.css';
import { archiveProject, type Project, reviveProject } from './queries.ts';

type Props = { project: Project; onClose(): void };

/** Asks for confirmation before a project is archived, which is impossible while it has active flags. */
export function ArchiveProjectDialog({ project, onClose }: Props) {
  const { id, name, featureCount } = project;
  return (
    <Confirm
      opened
      title={`Archive ${name}?`}
      action="Archive project"
      danger
      disabled={featureCount > 0}
      onConfirm={async () => {
        await archiveProject(id);
        toast({ message: `Archived ${name}.` });
      }}
      onClose={onClose}
    >
      {featureCount > 0 && (
        <p>
          {escapeText(name)} has{' '}
          <Link to="/projects/$projectId" params={{ projectId: id }} className={s.link}>
            {formatCount(featureCount, 'active flag')}
          </Link>
          . SDKs still receive them. Archive the flags first.
        </p>
      )}
      {featureCount === 0 && (
        <p>
          The project disappears from lists and menus, and nobody can create flags in it. Its archived flags,
          events and {formatCount(project.members, 'member')} remain. You can revive it later.
        </p>
      )}
    </Confirm>
  );
}

/** Asks for confirmation before a project is revived. */
export function ReviveProjectDialog({ project: { id, name, members }, onClose }: Props) {
  return (
    <Confirm
      opened
      title={`Revive ${name}?`}
      action="Revive project"
      onConfirm={async () => {
        await reviveProject(id);
        toast({ message: `Revived ${name}.` });
      }}
      onClose={onClose}
    >
      <p>
        The project appears in lists and menus again, with the same {formatCount(members, 'member')}. Its
        flags remain archived until you revive them.
      </p>
    </Confirm>
  );
}
