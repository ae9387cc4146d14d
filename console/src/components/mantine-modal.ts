/** In a file of its own, so that only it is loaded when a dialog opens. */
export { Modal } from '@mantine/core'
