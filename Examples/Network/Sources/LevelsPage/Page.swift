extension LevelsPage {
    /// The page. The browser connects again by itself when the connection is lost.
    static let html = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Levels</title>
        <style>
            body { font: 16px system-ui, sans-serif; margin: 2rem auto; max-width: 40rem; padding: 0 1rem }
            .channel { align-items: center; display: flex; gap: 1rem; margin: .5rem 0 }
            .channel meter { flex: 1; height: 1.5rem }
            .channel output { font-variant-numeric: tabular-nums; text-align: right; width: 6rem }
        </style>
        <h1>Levels</h1>
        <p id="state" role="status">connecting</p>
        <div id="channels"></div>
        <script>
            const state = document.getElementById('state')
            const channels = document.getElementById('channels')
            const events = new EventSource('events')
            const show = (number, peak) => {
                let row = channels.children[number]
                if (!row) {
                    row = document.createElement('div')
                    row.className = 'channel'
                    row.innerHTML = '<meter min="-60" max="0" low="-60" high="-6" optimum="-20"></meter><output></output>'
                    row.firstChild.setAttribute('aria-label', `channel ${number + 1}`)
                    channels.append(row)
                }
                row.firstChild.value = peak
                row.lastChild.textContent = `${peak.toFixed(1)} dBFS`
            }
            events.addEventListener('levels', ({ data }) => {
                JSON.parse(data).channels.forEach((channel, number) => show(number, channel.peak))
            })
            events.addEventListener('state', ({ data }) => {
                const { is_recording, is_paused } = JSON.parse(data)
                state.textContent = is_paused ? 'waiting for the source' : is_recording ? 'live' : 'stopped'
            })
            events.onerror = () => { state.textContent = 'disconnected' }
        </script>
        </html>
        """
}
