import { Button, Popover, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { parseSearch, type Search, stringifySearch } from '../ui/search.ts';
import { toast } from '../ui/toasts.ts';
import s from './events.module.css';
import { saveView, viewsQuery } from './queries.ts';

/** Saves the filters of the page under a name, and lists the saved views of the page. */
export function SaveView({ page, filters }: { page: string; filters: Search }) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const client = useQueryClient();
  const views = useQuery({ ...viewsQuery, enabled: isOpen }).data?.views.filter(view => view.page === page);
  const save = useMutation({
    mutationFn: () => saveView({ name: name.trim(), page, query: stringifySearch(filters).slice(1) }),
    onSuccess: async view => {
      setOpen(false);
      setName('');
      toast({ message: `View “${view.name}” saved` });
      await client.invalidateQueries({ queryKey: viewsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={280} trapFocus withRoles={false}>
      <Popover.Target>
        <Button leftSection={<Bookmark size={14} />} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Save view
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Save view">
        <form className={s.form} onSubmit={submit}>
          <FormErrors messages={otherMessages(save.error, ['name'])} />
          <TextInput
            label="Name"
            required
            maxLength={100}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={messagesByField(save.error).name}
          />
          <Button type="submit" variant="filled" loading={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </form>
        {views && views.length > 0 && (
          <nav className={s.views} aria-label="Saved views">
            {views.map(view => (
              <Link key={view.id} to={page} search={parseSearch(view.query)} onClick={() => setOpen(false)}>
                {view.name}
              </Link>
            ))}
          </nav>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
