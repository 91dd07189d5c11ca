import '@mantine/core/styles/FloatingIndicator.layer.css';
import '@mantine/core/styles/SegmentedControl.layer.css';
import { Button, NativeSelect, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { environmentsQuery, projectsQuery } from '../shell/queries.ts';
import { download } from '../ui/download.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { FormAndEffect } from '../ui/FormAndEffect.tsx';
import { readLastProject } from '../ui/preferences.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { TransferFrame } from './Frame.tsx';
import { type Export, type ExportInput, exportFlags } from './queries.ts';
import s from './transfer.module.css';
import { describeContents } from './words.ts';

const KINDS = [
  { value: 'project', label: 'A project' },
  { value: 'tag', label: 'A tag' },
  { value: 'features', label: 'Flags by name' },
] as const;
const SHOWN_FIELDS = ['environment', 'project', 'tag', 'features'];

const NOT_DOWNLOADED = {
  title: 'Leave without downloading?',
  action: 'Leave',
  text: 'You have not downloaded the export. Exporting again records another event in each project.',
};

type Form = {
  kind: (typeof KINDS)[number]['value'];
  environment: string;
  project: string;
  tag: string;
  features: string;
};

const toInput = ({ kind, environment, project, tag, features }: Form): ExportInput => ({
  environment,
  ...(kind === 'project' ? { project } : {}),
  ...(kind === 'tag' ? { tag: tag.trim() } : {}),
  ...(kind === 'features' ? { features: features.split(/[\s,]+/).filter(Boolean) } : {}),
});

/** Exports flags as they are in one environment. */
export function ExportPage() {
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: environments } = useQuery(environmentsQuery);
  const [changedFields, setChangedFields] = useState<Partial<Form>>({});
  const form: Form = {
    kind: 'project',
    environment: environments?.environments[0]?.name ?? '',
    project: (projects.find(({ id }) => id === readLastProject()) ?? projects[0])?.id ?? '',
    tag: '',
    features: '',
    ...changedFields,
  };
  const exportMutation = useMutation({ mutationFn: (input: ExportInput) => exportFlags(input) });
  const [downloadedExport, setDownloadedExport] = useState<Export>();
  const hasUnsavedExport =
    exportMutation.data !== undefined &&
    exportMutation.data.features.length > 0 &&
    exportMutation.data !== downloadedExport;
  const { confirmation } = useUnsaved(hasUnsavedExport, () => {}, NOT_DOWNLOADED);
  const errors = messagesByField(exportMutation.error);
  const input = toInput(form);
  const isCurrent = JSON.stringify(exportMutation.variables) === JSON.stringify(input);
  const change = (part: Partial<Form>) => setChangedFields(current => ({ ...current, ...part }));
  const isComplete = form.kind === 'project' ? form.project !== '' : form[form.kind].trim() !== '';
  return (
    <TransferFrame name="Export">
      <FormAndEffect
        onSubmit={() => exportMutation.mutate(input)}
        wide
        title="What the export contains"
        isBusy={exportMutation.isPending}
        form={
          <>
            <FormErrors messages={messagesWithoutField(exportMutation.error, SHOWN_FIELDS)} />
            <SegmentedControl
              aria-label="What to export"
              value={form.kind}
              data={[...KINDS]}
              onChange={value =>
                change({ kind: KINDS.find(kind => kind.value === value)?.value ?? 'project' })
              }
            />
            {form.kind === 'project' && (
              <NativeSelect
                label="Project"
                value={form.project}
                data={toProjectOptions(projects)}
                error={errors.project}
                onChange={event => change({ project: event.target.value })}
              />
            )}
            {form.kind === 'tag' && (
              <TextInput
                label="Tag"
                description="Type and value, such as simple:checkout. Exports flags of all projects that you can read."
                classNames={{ input: 'mono' }}
                maxLength={101}
                value={form.tag}
                error={errors.tag}
                onChange={event => change({ tag: event.target.value })}
              />
            )}
            {form.kind === 'features' && (
              <Textarea
                label="Names"
                description="Separated by spaces, commas or line breaks. At most 1,000."
                classNames={{ input: 'mono' }}
                rows={6}
                spellCheck={false}
                value={form.features}
                error={errors.features}
                onChange={event => change({ features: event.target.value })}
              />
            )}
            <NativeSelect
              label="Environment"
              description="A file has the strategies, variants and state of one environment. Export again for others."
              value={form.environment}
              data={environments?.environments.map(({ name }) => name) ?? []}
              error={errors.environment}
              onChange={event => change({ environment: event.target.value })}
            />
          </>
        }
        actions={
          <>
            <Button type="submit" variant="filled" loading={exportMutation.isPending} disabled={!isComplete}>
              Export
            </Button>
            <span className="muted">Records an event in each project.</span>
          </>
        }
      >
        {!exportMutation.data && (
          <p className="muted">
            An export contains the flags with their strategies, variants, tags, parents and links in one
            environment, the names of their segments, and their context fields and tag types. It contains no
            tokens, people or events.
          </p>
        )}
        {exportMutation.data && (
          <>
            {!isCurrent && (
              <p className="muted">This is the result of your earlier choices. Export again to update it.</p>
            )}
            <ul className={s.contents}>
              {describeContents(exportMutation.data).map(content => (
                <li key={content}>{content}</li>
              ))}
              {exportMutation.data.features.length === 0 && <li>No flags match.</li>}
            </ul>
            <Button
              variant="filled"
              leftSection={<Download size={14} />}
              disabled={exportMutation.data.features.length === 0}
              onClick={() => {
                download(
                  `flags-${exportMutation.variables?.project ?? 'selected'}-${exportMutation.variables?.environment ?? ''}.json`,
                  JSON.stringify(exportMutation.data, null, 2),
                );
                setDownloadedExport(exportMutation.data);
              }}
            >
              Download
            </Button>
          </>
        )}
      </FormAndEffect>
      {confirmation}
    </TransferFrame>
  );
}
