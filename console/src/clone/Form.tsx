import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { Feature } from '../features/queries.ts';
import { followsRule } from '../projects/naming.ts';
import { toProjectOptions } from '../ui/project-options.ts';
import { formatNumber } from '../ui/words.ts';
import s from './clone.module.css';
import { type CloneForm, isSuggestionShortened, MAX_NAME_LENGTH, PARTS, suggestCopyName } from './form.ts';

type Project = {
  id: string;
  name: string;
  environments: string[];
  featureNaming?: { pattern?: string; example?: string } | null;
};

/** Edits the name, project, parts and environments of a copy. */
export function Form({
  form,
  source,
  projects,
  errors,
  onChange,
}: {
  form: CloneForm;
  source: Feature;
  projects: readonly Project[];
  /** Error messages by field. */
  errors: Record<string, string>;
  onChange(change: Partial<CloneForm>): void;
}) {
  const target = projects.find(project => project.id === form.project);
  const rule = target?.featureNaming;
  const isValid = followsRule(rule?.pattern, form.name);
  const { length } = form.name;
  const isSuggested = isSuggestionShortened(source.name) && form.name === suggestCopyName(source.name);
  return (
    <>
      <TextInput
        label="Name of the copy"
        classNames={{ input: 'mono' }}
        required
        autoComplete="off"
        spellCheck={false}
        value={form.name}
        description={
          isSuggested &&
          `The source's name is shortened, because a name can have at most ${MAX_NAME_LENGTH} characters.`
        }
        error={
          (length > MAX_NAME_LENGTH
            ? `A name can have at most ${MAX_NAME_LENGTH} characters. This one has ${formatNumber(length)}.`
            : errors.name) ??
          (!isValid &&
            `Names in this project must match ${rule?.pattern}${rule?.example ? `, such as ${rule.example}` : ''}.`)
        }
        onChange={event => onChange({ name: event.target.value })}
      />
      <NativeSelect
        size="xs"
        label="Project"
        value={form.project}
        data={toProjectOptions(projects)}
        error={errors.project}
        onChange={event => onChange({ project: event.target.value, targets: {} })}
      />
      <Checkbox.Group
        label="Copy"
        value={form.include}
        onChange={include => onChange({ include: include as CloneForm['include'] })} // The checkboxes have the values of PARTS.
      >
        <div className={s.parts}>
          {PARTS.map(({ part, label, count }) => (
            <Checkbox key={part} value={part} label={`${label} (${count(source)})`} />
          ))}
        </div>
      </Checkbox.Group>
      <fieldset className={s.environments}>
        <legend>Environments</legend>
        {source.environments.map(({ name }) => (
          <div key={name}>
            <span>{name}</span>
            <span aria-hidden="true">→</span>
            <NativeSelect
              size="xs"
              aria-label={`${name} becomes`}
              value={form.targets[name] ?? (target?.environments.includes(name) ? name : '')}
              data={[
                { value: '', label: 'Not copied' },
                ...(target?.environments ?? []).map(value => ({ value, label: value })),
              ]}
              onChange={event => onChange({ targets: { ...form.targets, [name]: event.target.value } })}
            />
          </div>
        ))}
        {errors.environments && <p className={s.error}>{errors.environments}</p>}
      </fieldset>
      <Checkbox
        checked={form.replaceGroupId}
        label="Assign users to new buckets"
        classNames={{ description: s.hint }}
        description="At the same rollout, the copy reaches different users than its source. Otherwise, both reach the same users."
        onChange={event => onChange({ replaceGroupId: event.target.checked })}
      />
    </>
  );
}
