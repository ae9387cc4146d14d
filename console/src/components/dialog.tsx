import type { ModalProps } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'

const Modal = lazy(async () => ({ default: (await import('./mantine-modal.ts')).Modal }))

/** A dialog. Its code is loaded when the first one opens, because no page begins with one. */
export function Dialog(props: ModalProps) {
  const { opened } = props
  const [wasOpened, setOpened] = useState(opened)
  useEffect(() => {
    if (opened) setOpened(true)
  }, [opened])
  if (!opened && !wasOpened) return null
  return (
    <Suspense>
      <Modal {...props} />
    </Suspense>
  )
}
