import { ActionIcon, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { schemas } from '../api/api.gen.ts';
import { viewsQuery } from '../shell/queries.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { CopyButton } from '../ui/Copy.tsx';
import { Failure } from '../ui/Failure.tsx';
import { parseSearch } from '../ui/search.ts';
import { Time } from '../ui/Time.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import { deleteView, readView, renameView, saveView, type ViewVersion } from '../views/queries.ts';
import { Row, Section } from './Section.tsx';
import { describePage } from './words.ts';

type View = schemas['SavedView'];

/** Lists the user's saved views for all pages. */
export function Views() {
  const views = useQuery(viewsQuery);
  const [viewToRename, setViewToRename] = useState<ViewVersion>();
  const [name, setName] = useState('');
  const rename = (version: ViewVersion) => {
    setViewToRename(version);
    setName(version.view.name);
  };
  const remove = async (view: View) => {
    await deleteView(view.id);
    const restore = () => saveView({ name: view.name, page: view.page, query: view.query }).catch(toastError);
    toast({ message: `View “${view.name}” deleted.`, action: { label: 'Undo', run: () => void restore() } });
  };
  return (
    <Section title="Saved views">
      {views.error && <Failure error={views.error} onRetry={() => void views.refetch()} />}
      {views.data?.length === 0 && (
        <Row
          title={
            <span className="muted">
              You have none. To save one, filter <Link to="/events">events</Link> and choose “Saved views”.
            </span>
          }
        />
      )}
      {views.data?.map(view => (
        <Row
          key={view.id}
          title={
            <Link to={view.page} search={parseSearch(view.query)}>
              {view.name}
            </Link>
          }
          note={
            <>
              {describePage(view.page)} · changed <Time at={view.updatedAt} />
            </>
          }
        >
          <CopyButton
            text={`${location.origin}${view.page}?${view.query}`}
            label={`Copy the link to ${view.name}`}
          />
          <ActionIcon
            aria-label={`Rename ${view.name}`}
            onClick={() => void readView(view.id).then(rename, toastError)}
          >
            <Pencil size={14} />
          </ActionIcon>
          <ActionIcon aria-label={`Delete ${view.name}`} onClick={() => void remove(view).catch(toastError)}>
            <Trash2 size={15} />
          </ActionIcon>
        </Row>
      ))}
      <Confirm
        opened={viewToRename !== undefined}
        title="Rename the view"
        action="Rename"
        disabled={name.trim() === ''}
        onConfirm={async () => {
          if (!viewToRename) return;
          const newest = await renameView(viewToRename, name.trim());
          if (!newest) return;
          setViewToRename(newest);
          throw new Error(
            `This view was renamed to “${newest.view.name}” in the meantime. To overwrite that name, choose Rename again.`,
          );
        }}
        onClose={() => setViewToRename(undefined)}
      >
        <TextInput
          label="Name"
          maxLength={100}
          value={name}
          onChange={event => setName(event.target.value)}
          data-autofocus
        />
      </Confirm>
    </Section>
  );
}
