import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Save, Trash2 } from 'lucide-react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { escapeText } from '../ui/caller-text.ts';
import { Failure } from '../ui/Failure.tsx';
import { parseSearch } from '../ui/search.ts';
import { toast, toastError } from '../ui/toasts.ts';
import {
  type ProjectView,
  readView,
  sharedViewsQuery,
  shareView,
  unshareView,
  type ViewVersion,
} from './queries.ts';
import s from './views.module.css';

/** Lists the shared views of all the project's pages. */
export function SharedViews({
  projectId,
  page,
  onOpen,
  onUpdate,
  onRename,
}: {
  projectId: string;
  /** The path of the open page. Only its views can be updated to the current filters. */
  page: string;
  onOpen(): void;
  onUpdate(view: ProjectView): void;
  onRename(version: ViewVersion): void;
}) {
  const { data: views = [], error, refetch } = useQuery(sharedViewsQuery(projectId));
  const me = useMe();
  const mayChange = ({ createdByUserId }: ProjectView): boolean =>
    createdByUserId === me.user.id || can(me, 'updateProject', { project: projectId });
  const remove = async ({ id, name, page: pageOfView, query }: ProjectView) => {
    await unshareView(projectId, id);
    const shareAgain = () => shareView(projectId, { name, page: pageOfView, query }).catch(toastError);
    toast({
      message: `View “${name}” deleted for everybody.`,
      action: { label: 'Undo', run: () => void shareAgain() },
    });
  };
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (views.length === 0) return null;
  return (
    <div className={s.views}>
      <b>Shared with the project</b>
      <ul aria-label="Shared with the project">
        {views.map(view => (
          <li key={view.id}>
            <Link to={view.page} search={parseSearch(view.query)} onClick={onOpen}>
              {escapeText(view.name)} <small>by {view.createdBy}</small>
            </Link>
            {mayChange(view) && (
              <>
                {view.page === page && (
                  <ActionIcon
                    aria-label={`Update ${view.name}`}
                    title="Replace its filters with those of this page, for everybody"
                    onClick={() => onUpdate(view)}
                  >
                    <Save size={13} />
                  </ActionIcon>
                )}
                <ActionIcon
                  aria-label={`Rename ${view.name}`}
                  title="Rename for everybody"
                  onClick={() => void readView(view.id, projectId).then(onRename, toastError)}
                >
                  <Pencil size={13} />
                </ActionIcon>
                <ActionIcon
                  aria-label={`Delete ${view.name}`}
                  title="Delete for everybody"
                  onClick={() => void remove(view).catch(toastError)}
                >
                  <Trash2 size={13} />
                </ActionIcon>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
