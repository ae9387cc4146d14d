import { Button, CloseButton } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTexts } from '../language/language.tsx'
import { componentTexts } from './texts.ts'
import classes from './toasts.module.css'

const SHOWN_MS = 6_000
const UNDO_SHOWN_MS = 20_000
const AT_MOST = 3

interface Toast {
  readonly id: number
  readonly message: string
  readonly undo: (() => void) | undefined
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function setToasts(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Says that an act is done, with a way to undo it: `sayDone('Research Agent is paused', () => resume.mutate(…))`. */
export function sayDone(message: string, undo?: () => void): void {
  lastId += 1
  setToasts([...toasts, { id: lastId, message, undo }].slice(-AT_MOST))
}

const hide = (id: number) => setToasts(toasts.filter(toast => toast.id !== id))

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What was said last, at the bottom of the screen. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div role="status" className={classes.toasts}>
      {shown.map(toast => (
        <Shown key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

/** One message. It stays while it has the focus or the pointer. */
function Shown({ toast: { id, message, undo } }: { readonly toast: Toast }) {
  const t = useTexts(componentTexts)
  const [isHeld, hold] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => hide(id), undo === undefined ? SHOWN_MS : UNDO_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, undo, isHeld])
  return (
    <div
      className={classes.toast}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
    >
      <span>{message}</span>
      {undo !== undefined && (
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            hide(id)
            undo()
          }}
        >
          {t.undo}
        </Button>
      )}
      <CloseButton size="md" aria-label={t.close} onClick={() => hide(id)} />
    </div>
  )
}
