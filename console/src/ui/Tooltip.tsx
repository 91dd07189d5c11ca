import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import s from './Tooltip.module.css';

type Handlers = {
  onPointerEnter?(event: PointerEvent): void;
  onPointerLeave?(event: PointerEvent): void;
  onFocus?(event: FocusEvent): void;
  onBlur?(event: FocusEvent): void;
  'aria-describedby'?: string;
};

const GAP = 6;

/**
 * Words about a control, which appear while the pointer is on it or, with `onFocus`, while it has the focus. Esc hides them.
 * Mantine's tooltip would add 25 KB to every page.
 */
export function Tooltip({
  label,
  delay = 350,
  onFocus: showOnFocus = false,
  children,
}: {
  label: ReactNode;
  /** Milliseconds before it appears. */
  delay?: number;
  onFocus?: boolean;
  /** An element that accepts these handlers. */
  children: ReactElement<object>;
}) {
  const id = useId();
  const [target, setTarget] = useState<Element>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => {
    clearTimeout(timer.current);
    setTarget(undefined);
  };
  const show = (element: Element, wait: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => element.isConnected && setTarget(element), wait);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const child = children as ReactElement<Handlers>;
  const { props } = child;
  return (
    <>
      {cloneElement(child, {
        onPointerEnter: event => {
          props.onPointerEnter?.(event);
          // A touch has no end of hovering.
          if (event.pointerType !== 'touch') show(event.currentTarget, delay);
        },
        onPointerLeave: event => {
          props.onPointerLeave?.(event);
          hide();
        },
        onFocus: event => {
          props.onFocus?.(event);
          if (showOnFocus) show(event.currentTarget, 0);
        },
        onBlur: event => {
          props.onBlur?.(event);
          hide();
        },
        ...(target && { 'aria-describedby': id }),
      })}
      {target && (
        <Words id={id} target={target} onHide={hide}>
          {label}
        </Words>
      )}
    </>
  );
}

function Words({
  id,
  target,
  onHide,
  children,
}: {
  id: string;
  target: Element;
  onHide(): void;
  children: ReactNode;
}) {
  const words = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = words.current;
    if (!box) return;
    box.showPopover();
    const { left, right, top, bottom } = target.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box;
    const middle = (left + right - width) / 2;
    box.style.left = `${Math.max(GAP, Math.min(middle, innerWidth - width - GAP))}px`;
    box.style.top = `${top - height - GAP > 0 ? top - height - GAP : bottom + GAP}px`;
  });
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onHide();
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
  return createPortal(
    <div ref={words} id={id} role="tooltip" popover="manual" data-portal="" className={s.words}>
      {children}
    </div>,
    document.body,
  );
}
