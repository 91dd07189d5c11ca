import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A key, or two keys in sequence: 'j', 'g f', 'mod+s'. `description` appears in the help. */
export type Shortcut = { keys: string; description: string; run(event: KeyboardEvent): void };

const active = new Set<Shortcut>();
const listeners = new Set<() => void>();
let list: readonly Shortcut[] = [];
const SETTING = 'halyard-shortcuts';
const SEQUENCE_MS = 1200;

/** Single letters can be disabled in the profile, because some assistive software types them (WCAG 2.1.4). */
export const areLettersEnabled = (): boolean => localStorage.getItem(SETTING) !== 'off';
export const setLettersEnabled = (enabled: boolean): void =>
  localStorage.setItem(SETTING, enabled ? 'on' : 'off');

function changed(): void {
  list = [...active];
  for (const listener of listeners) listener();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'textarea, select, [role=combobox], input:not([type=checkbox], [type=radio], [type=button])',
    ));

let first = '';
let firstAt = 0;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.metaKey || event.ctrlKey;
  const isLetter = event.key.length === 1;
  if (!mod && (event.altKey || isTyping(event.target) || (isLetter && !areLettersEnabled()))) return;
  // An open dialog gets all keys.
  if (!mod && document.querySelector('[role=dialog][aria-modal=true]')) return;
  const key = mod ? `mod+${event.key.toLowerCase()}` : isLetter ? event.key.toLowerCase() : event.key;
  const sequence = Date.now() - firstAt < SEQUENCE_MS ? `${first} ${key}` : key;
  const found = newest(sequence) ?? newest(key);
  first = found ? '' : key;
  firstAt = Date.now();
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

/** The shortcut that was registered last, so that a panel overrides the page below it. */
const newest = (keys: string): Shortcut | undefined => list.findLast(shortcut => shortcut.keys === keys);

if (typeof document !== 'undefined') document.addEventListener('keydown', onKey);

/** Registers shortcuts while the component is mounted. `run` may change with every render. */
export function useShortcuts(shortcuts: readonly (Shortcut | false | undefined)[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  const keys = shortcuts.map(one => (one ? `${one.keys}\t${one.description}` : '')).join('\n');
  useEffect(() => {
    const own = keys.split('\n').flatMap((line, n): Shortcut[] => {
      const [name = '', description = ''] = line.split('\t');
      const run = (event: KeyboardEvent) => {
        const now = current.current[n];
        if (now) now.run(event);
      };
      return name ? [{ keys: name, description, run }] : [];
    });
    for (const one of own) active.add(one);
    changed();
    return () => {
      for (const one of own) active.delete(one);
      changed();
    };
  }, [keys]);
}

/** All shortcuts of the current page, for the help. */
export const useActiveShortcuts = (): readonly Shortcut[] =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => list,
  );

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The keys as one string: "⌘K" or "Ctrl+K". */
export const keysText = (keys: string): string => keysOf(keys).join(isMac() ? '' : '+');

/** The keys as a person sees them: ['⌘', 'S'] or ['Ctrl', 'S']. */
export const keysOf = (keys: string): string[] =>
  keys
    .split(/[ +]/)
    .map(key =>
      key === 'mod'
        ? isMac()
          ? '⌘'
          : 'Ctrl'
        : ({ Enter: '↵', Escape: 'Esc' }[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
    );
