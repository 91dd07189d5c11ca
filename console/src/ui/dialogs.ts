// What no page needs at first has a script and styles of its own: dialogs, and the styles for paper. See Dialog.tsx.
import '../print.css';

export { Drawer, Modal } from '@mantine/core';
