// What no page needs at first has a separate script and styles: dialogs, and the styles for paper. See Dialog.tsx.
import '../print.css';

export { Drawer, Modal } from '@mantine/core';
