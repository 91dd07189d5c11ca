import { useEffect, useRef, useSyncExternalStore } from 'react';

/** A key or two keys in sequence, for example 'j', 'g f' or 'mod+s'. The help shows `description`. */
export type Shortcut = { keys: string; description: string; run(event: KeyboardEvent): void };

const registered = new Set<Shortcut>();
const listeners = new Set<() => void>();
let activeShortcuts: readonly Shortcut[] = [];
const LETTERS_KEY = 'halyard-shortcuts';
const SEQUENCE_MS = 1200;

/** Single letters can be disabled in the profile, because some assistive software types them (WCAG 2.1.4). */
export const areLettersEnabled = (): boolean => localStorage.getItem(LETTERS_KEY) !== 'off';
export const setLettersEnabled = (enabled: boolean): void =>
  localStorage.setItem(LETTERS_KEY, enabled ? 'on' : 'off');

function notifyListeners(): void {
  activeShortcuts = [...registered];
  for (const listener of listeners) listener();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'textarea, select, [role=combobox], input:not([type=checkbox], [type=radio], [type=button])',
    ));

let firstKey = '';
let firstKeyAt = 0;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const mod = event.metaKey || event.ctrlKey;
  const isLetter = event.key.length === 1;
  if (!mod && (event.altKey || isTyping(event.target) || (isLetter && !areLettersEnabled()))) return;
  // While a modal dialog is open, the page reacts only to shortcuts with a modifier key.
  if (!mod && document.querySelector('[role=dialog][aria-modal=true]')) return;
  const key = mod ? `mod+${event.key.toLowerCase()}` : isLetter ? event.key.toLowerCase() : event.key;
  const sequence = Date.now() - firstKeyAt < SEQUENCE_MS ? `${firstKey} ${key}` : key;
  const shortcut = findNewest(sequence) ?? findNewest(key);
  firstKey = shortcut ? '' : key;
  firstKeyAt = Date.now();
  if (!shortcut) return;
  event.preventDefault();
  shortcut.run(event);
}

/** Finds the shortcut that was registered last, so that a panel overrides the page below it. */
const findNewest = (keys: string): Shortcut | undefined =>
  activeShortcuts.findLast(shortcut => shortcut.keys === keys);

if (typeof document !== 'undefined') document.addEventListener('keydown', onKey);

/** Registers shortcuts while the component is mounted. `run` may change with every render. */
export function useShortcuts(shortcuts: readonly (Shortcut | false | undefined)[]): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  const keys = shortcuts
    .map(shortcut => (shortcut ? `${shortcut.keys}\t${shortcut.description}` : ''))
    .join('\n');
  useEffect(() => {
    const ownShortcuts = keys.split('\n').flatMap((line, n): Shortcut[] => {
      const [name = '', description = ''] = line.split('\t');
      const run = (event: KeyboardEvent) => {
        const currentShortcut = current.current[n];
        if (currentShortcut) currentShortcut.run(event);
      };
      return name ? [{ keys: name, description, run }] : [];
    });
    for (const shortcut of ownShortcuts) registered.add(shortcut);
    notifyListeners();
    return () => {
      for (const shortcut of ownShortcuts) registered.delete(shortcut);
      notifyListeners();
    };
  }, [keys]);
}

/** All shortcuts of the current page, for the shortcut help. */
export const useActiveShortcuts = (): readonly Shortcut[] =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => activeShortcuts,
  );

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Formats the keys as one string, for example as "⌘K" or "Ctrl+K". */
export const formatKeys = (keys: string): string => toKeyLabels(keys).join(isMac() ? '' : '+');

/** Returns the keys as a user sees them, for example ['⌘', 'S'] or ['Ctrl', 'S']. */
export const toKeyLabels = (keys: string): string[] =>
  keys
    .split(/[ +]/)
    .map(key =>
      key === 'mod'
        ? isMac()
          ? '⌘'
          : 'Ctrl'
        : ({ Enter: '↵', Escape: 'Esc' }[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
    );
