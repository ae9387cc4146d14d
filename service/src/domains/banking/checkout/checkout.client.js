// The page works without this script, by its forms alone. The script updates the countdown and shows the result without a reload.
const page = document.querySelector('[data-state]')
const started = performance.now()

function leftMs(element) {
  return Number(element.dataset.countdown) - (performance.now() - started)
}

function showTime(element) {
  const seconds = Math.max(0, Math.ceil(leftMs(element) / 1000))
  element.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  element.closest('.expiry')?.classList.toggle('soon', seconds < 120)
}

function reload() {
  // Drops the query of the last form, which is no longer true.
  location.replace(location.pathname)
}

async function ask() {
  if (document.hidden) return
  try {
    const response = await fetch(page.dataset.statusUrl, { cache: 'no-store' })
    if (!response.ok) return
    const { state, over } = await response.json()
    if (state !== page.dataset.state && (over || !isTyping())) reload()
  } catch {
    // Offline for a moment: the next poll may succeed.
  }
}

function isTyping() {
  const field = document.activeElement
  return field instanceof HTMLInputElement && field.value !== ''
}

for (const element of document.querySelectorAll('[data-countdown]')) {
  showTime(element)
  setInterval(() => showTime(element), 1000)
}

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    // After the form was read, because a disabled button is not submitted.
    setTimeout(() => {
      for (const button of document.querySelectorAll('button')) button.disabled = true
    })
  })
}

// A page that the browser restores from its cache still has its buttons disabled.
addEventListener('pageshow', event => {
  if (event.persisted) reload()
})

if (page?.dataset.statusUrl) {
  setInterval(() => void ask(), 2500)
  document.addEventListener('visibilitychange', () => void ask())
}
