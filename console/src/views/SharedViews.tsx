import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { Failure } from '../ui/Failure.tsx';
import { parseSearch } from '../ui/search.ts';
import { toast, toastError } from '../ui/toasts.ts';
import { type ProjectView, sharedViewsQuery, shareView, unshareView } from './queries.ts';
import s from './views.module.css';

/** Lists the shared views of all the project's pages. */
export function SharedViews({ projectId, onOpen }: { projectId: string; onOpen(): void }) {
  const { data: views = [], error, refetch } = useQuery(sharedViewsQuery(projectId));
  const me = useMe();
  const mayDelete = ({ createdByUserId }: ProjectView): boolean =>
    createdByUserId === me.user.id || can(me, 'updateProject', { project: projectId });
  const remove = async ({ id, name, page, query }: ProjectView) => {
    await unshareView(projectId, id);
    const shareAgain = () => shareView(projectId, { name, page, query }).catch(toastError);
    toast({
      message: `View “${name}” is no longer shared.`,
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
              {view.name} <small>by {view.createdBy}</small>
            </Link>
            {mayDelete(view) && (
              <ActionIcon
                aria-label={`Delete ${view.name}`}
                title="Delete for everybody"
                onClick={() => void remove(view).catch(toastError)}
              >
                <Trash2 size={13} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
