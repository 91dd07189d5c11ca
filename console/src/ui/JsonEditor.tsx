import { Button, Textarea } from '@mantine/core';
import s from './JsonEditor.module.css';
import { findJsonProblem, formatJson } from './json.ts';

/**
 * A text area for JSON that is validated while the user types, with a button that formats the JSON. A code editor would be too
 * large, because CodeMirror with its JSON mode takes 108 KB gzipped, and a page may add at most 60 KB.
 */
export function JsonEditor({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  const problem = value.trim() === '' ? undefined : findJsonProblem(value);
  const formatted = formatJson(value);
  return (
    <div className={s.editor}>
      <Textarea
        aria-label={label}
        placeholder='{ "color": "blue" }'
        classNames={{ input: 'mono' }}
        autosize
        minRows={2}
        maxRows={16}
        spellCheck={false}
        autoComplete="off"
        maxLength={100_000}
        value={value}
        error={problem && `Invalid JSON: ${problem}`}
        onChange={event => onChange(event.target.value)}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={problem !== undefined || formatted === value}
        onClick={() => onChange(formatted)}
      >
        Format <span className="sr">{label}</span>
      </Button>
    </div>
  );
}
