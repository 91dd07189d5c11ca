import '@mantine/core/styles/Popover.layer.css';
import { ActionIcon, Button, Popover, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, Pencil, Save, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { viewsQuery } from '../shell/queries.ts';
import { Can } from '../ui/Can.tsx';
import { Conflict } from '../ui/Conflict.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { parseSearch, type Search, stringifySearch } from '../ui/search.ts';
import { toast, toastError } from '../ui/toasts.ts';
import {
  deleteView,
  readView,
  renameView,
  type SavedView,
  saveView,
  shareView,
  updateView,
  type ViewVersion,
} from './queries.ts';
import { SharedViews } from './SharedViews.tsx';
import s from './views.module.css';

/** A rename, with the version that the user started from, and the newer version if somebody has renamed the view in the meantime. */
type Renaming = { base: ViewVersion; newer?: ViewVersion };

/**
 * Saves the page's filters under a name, for the user or for the page's project. Also opens, renames, updates and deletes the page's
 * saved views.
 */
export function SavedViews({
  page,
  filters,
  projectId,
}: {
  page: string;
  filters: Search;
  projectId: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const views = useQuery({ ...viewsQuery, enabled: isOpen }).data?.filter(view => view.page === page) ?? [];
  const [renaming, setRenaming] = useState<Renaming>();
  const viewToRename = renaming?.base.view;
  const query = stringifySearch(filters).slice(1);
  const run = async (change: Promise<unknown>, message: string, undo?: () => Promise<unknown>) => {
    await change;
    const undoAction = undo && { label: 'Undo', run: () => void undo().catch(toastError) };
    toast({ message, ...(undoAction ? { action: undoAction } : {}) });
  };
  const save = useMutation({
    mutationFn: async (sharedWith: string | undefined) => {
      if (renaming) return await renameView(renaming.base, name.trim());
      const view = { name: name.trim(), page, query };
      await (sharedWith === undefined ? saveView(view) : shareView(sharedWith, view));
      return undefined;
    },
    onSuccess: async (newer, sharedWith) => {
      if (renaming && newer) return setRenaming({ ...renaming, newer });
      const result =
        sharedWith !== undefined ? 'shared with the project' : viewToRename ? 'renamed' : 'saved';
      toast({ message: `View “${name.trim()}” ${result}.` });
      close();
    },
  });
  const close = () => {
    setOpen(false);
    setName('');
    setRenaming(undefined);
    save.reset();
  };
  const replaceFilters = async (id: SavedView['id'], sharedWith: string | undefined, filtersToSave: string) =>
    await updateView(await readView(id, sharedWith), { query: filtersToSave });
  const update = (view: Pick<SavedView, 'id' | 'name' | 'query'>, sharedWith?: string) =>
    void run(
      replaceFilters(view.id, sharedWith, query),
      `View “${view.name}” now has the filters of this page.`,
      () => replaceFilters(view.id, sharedWith, view.query),
    ).catch(toastError);
  const remove = (view: SavedView) =>
    void run(deleteView(view.id), `View “${view.name}” deleted.`, () =>
      saveView({ name: view.name, page, query: view.query }),
    ).catch(toastError);
  const rename = (base: ViewVersion) => {
    setRenaming({ base });
    setName(base.view.name);
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={opened => (opened ? setOpen(true) : close())}
      position="bottom-end"
      width={320}
      trapFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          leftSection={<Bookmark size={14} />}
          aria-expanded={isOpen}
          onClick={() => (isOpen ? close() : setOpen(true))}
        >
          Saved views
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Saved views">
        {renaming?.newer && (
          <Conflict
            noun="view"
            base={{ name: renaming.base.view.name }}
            mine={{ name: name.trim() }}
            theirs={{ name: renaming.newer.view.name }}
            onKeep={() => setRenaming(renaming.newer && { base: renaming.newer })}
            onTake={close}
          />
        )}
        <form className={s.form} onSubmit={submit} hidden={renaming?.newer !== undefined}>
          <FormErrors messages={messagesWithoutField(save.error, ['name'])} />
          <TextInput
            label={viewToRename ? `New name for “${viewToRename.name}”` : 'Save these filters as'}
            required
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={messagesByField(save.error).name}
          />
          <span className={s.buttons}>
            <Button type="submit" variant="filled" loading={save.isPending} disabled={name.trim() === ''}>
              {viewToRename ? 'Rename' : projectId === undefined ? 'Save' : 'Save for me'}
            </Button>
            {projectId !== undefined && !viewToRename && (
              <Can call="createProjectView" project={projectId}>
                <Button
                  disabled={name.trim() === '' || save.isPending}
                  onClick={() => save.mutate(projectId)}
                >
                  Share with the project
                </Button>
              </Can>
            )}
          </span>
        </form>
        {views.length > 0 && (
          <ul className={s.views} aria-label="Saved views">
            {views.map(view => (
              <li key={view.id}>
                <Link to={page} search={parseSearch(view.query)} onClick={close}>
                  {view.name}
                </Link>
                <ActionIcon
                  aria-label={`Update ${view.name}`}
                  title="Replace its filters with those of this page"
                  onClick={() => update(view)}
                >
                  <Save size={13} />
                </ActionIcon>
                <ActionIcon
                  aria-label={`Rename ${view.name}`}
                  title="Rename"
                  onClick={() => void readView(view.id).then(rename, toastError)}
                >
                  <Pencil size={13} />
                </ActionIcon>
                <ActionIcon aria-label={`Delete ${view.name}`} title="Delete" onClick={() => remove(view)}>
                  <Trash2 size={13} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        {isOpen && projectId !== undefined && (
          <SharedViews
            projectId={projectId}
            page={page}
            onOpen={close}
            onUpdate={view => update(view, projectId)}
            onRename={rename}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
