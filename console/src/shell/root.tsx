import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Toasts } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { OfflineNotice } from './offline-notice.tsx'
import { SandboxRibbon } from './sandbox-ribbon.tsx'
import classes from './skip.module.css'
import { shellTexts } from './texts.ts'

/** What stands around every page of every console. */
export function Root() {
  const t = useTexts(shellTexts)
  useFocusOnNewPage()
  return (
    <>
      <a href="#content" className={classes.skip} onClick={skip}>
        {t.skip}
      </a>
      <OfflineNotice />
      <SandboxRibbon />
      <Outlet />
      <Toasts />
    </>
  )
}

/** By hand, because the router would take the fragment for a change of the address. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault()
  focusOn('[data-page-title]')
}

/** The title of a new page gets the focus, so that a screen reader says where one is and Tab goes on from there. */
function useFocusOnNewPage(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged) focusOn('[data-page-title]')
      }),
    [router],
  )
}

function focusOn(selector: string): void {
  const titles = document.querySelectorAll<HTMLElement>(selector)
  titles[titles.length - 1]?.focus()
}
