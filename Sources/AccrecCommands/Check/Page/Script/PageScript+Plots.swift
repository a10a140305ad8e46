// MARK: - Waveform, loudness and spectrogram

extension PageScript {
    static let plots = #"""
        // The pictures of a take: waveform, loudness and spectrogram over one axis of time.
        const gutter = 58, margin = 12;
        const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

        function canvas(id, height, paint) {
          const place = byId(id);
          place.hidden = !height;
          if (!height) return;
          const width = place.parentNode.clientWidth, scale = devicePixelRatio || 1;
          place.width = Math.round(width * scale);
          place.height = Math.round(height * scale);
          place.style.height = `${height}px`;
          const context = place.getContext("2d");
          context.setTransform(scale, 0, 0, scale, 0, 0);
          context.font = "11px system-ui, sans-serif";
          context.textBaseline = "middle";
          paint(context, Math.max(width - gutter - margin, 1), height);
        }

        function label(context, text, y) {
          context.fillStyle = color("faint");
          context.textAlign = "right";
          context.fillText(text, gutter - 7, y, gutter - 10);
        }

        function line(context, y, width, style = color("grid")) {
          context.fillStyle = style;
          context.fillRect(gutter, Math.round(y), width, 1);
        }

        // Peaks are bytes whose square, by 127 squared, is the amplitude: small ones keep their shape.
        const amplitude = peak => Math.sign(peak) * (peak / 127) ** 2;
        const heights = {
          linear: value => value,
          decibels: value => value ? Math.sign(value) * Math.max(1 + 20 * Math.log10(Math.abs(value)) / 60, 0) : 0,
        };
        const laneHeight = count => count <= 2 ? 92 : count <= 4 ? 60 : 34;

        function drawWaveform(take) {
          const { lanes, secondsPerColumn } = take.curves.waveform;
          const place = heights[byId("scale").value];
          canvas("waveform", lanes.length * laneHeight(lanes.length), (context, width) => {
            lanes.forEach((lane, index) => {
              const size = laneHeight(lanes.length), middle = (index + 0.5) * size, half = size / 2 - 4;
              line(context, middle, width, color("line"));
              if (index) line(context, index * size, width);
              label(context, lane.name.length > 14 ? lane.name.slice(0, 13) + "\u2026" : lane.name, middle);
              const peaks = new Int8Array(bytes(lane.peaks).buffer);
              const step = width * secondsPerColumn / take.seconds;
              context.fillStyle = color("wave");
              for (let column = 0; 2 * column < peaks.length && column * step < width; column += 1) {
                const low = place(amplitude(peaks[2 * column])) * half, high = place(amplitude(peaks[2 * column + 1])) * half;
                context.fillRect(gutter + column * step, middle - high - 0.5, Math.min(step + 0.35, width - column * step), high - low + 1);
              }
            });
          });
        }

        function tickDistance(seconds, width) {
          const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 36000, 86400];
          return steps.find(step => seconds / step <= width / 75) ?? seconds;
        }

        function drawTicks(take) {
          canvas("ticks", 20, (context, width) => {
            line(context, 0, width, color("line"));
            const distance = tickDistance(take.seconds, width);
            context.fillStyle = color("faint");
            for (let tick = 0; tick * distance <= take.seconds; tick += 1) {
              const time = tick * distance, x = gutter + width * time / (take.seconds || 1);
              context.fillRect(Math.round(x), 0, 1, 4);
              context.textAlign = tick === 0 ? "left" : x > gutter + width - 24 ? "right" : "center";
              context.fillText(clock(time, distance < 1 ? 1 : 0), x, 12);
            }
          });
        }

        // A byte of 0 is silence.
        const level = byte => byte ? settings.lowestLoudness + (byte - 1) * settings.loudnessStep : null;

        function drawLoudness(take) {
          const loudness = take.curves.loudness;
          canvas("loudness", loudness ? 120 : 0, (context, width, height) => {
            const bottom = -60, y = value => 6 + (height - 14) * Math.min(Math.max(value / bottom, 0), 1);
            line(context, 0, width, color("line"));
            for (const mark of [0, -12, -24, -36, -48, -60]) {
              line(context, y(mark), width);
              label(context, mark ? `\u2212${-mark}` : "0 LUFS", y(mark));
            }
            for (const [key, style, thickness] of [["momentary", "momentary", 1], ["shortTerm", "term", 1.8]]) {
              const levels = bytes(loudness[key]), step = width * loudness.secondsPerPoint / take.seconds;
              context.strokeStyle = color(style);
              context.lineWidth = thickness;
              context.lineJoin = "round";
              context.beginPath();
              let isDown = false;
              levels.forEach((byte, index) => {
                const value = level(byte), x = gutter + Math.min((index + 0.5) * step, width);
                if (value == null) { isDown = false; return; }
                isDown ? context.lineTo(x, y(value)) : context.moveTo(x, y(value));
                isDown = true;
              });
              context.stroke();
            }
            const legend = [["short-term", "term"], ["momentary", "momentary"]];
            if (loudness.target != null) legend.push([`target ${decibels(loudness.target)}`, "target"]);
            context.textAlign = "left";
            let x = gutter + 8;
            for (const [text, style] of legend) {
              context.fillStyle = color(style);
              context.fillRect(x, height - 14, 14, 2);
              context.fillStyle = color("faint");
              context.fillText(text, x + 19, height - 13);
              x += 34 + context.measureText(text).width;
            }
            if (loudness.target != null) {
              context.strokeStyle = color("target");
              context.lineWidth = 1;
              context.setLineDash([5, 4]);
              context.beginPath();
              context.moveTo(gutter, y(loudness.target));
              context.lineTo(gutter + width, y(loudness.target));
              context.stroke();
            }
          });
        }

        const palette = bytes(settings.palette);

        function drawSpectrogram(take) {
          const picture = take.curves.spectrogram;
          canvas("spectrogram", picture ? 170 : 0, (context, width, height) => {
            const cells = bytes(picture.cells), bands = picture.bands, count = cells.length / bands;
            const image = new ImageData(count, bands);
            cells.forEach((byte, index) => {
              const pixel = 4 * ((bands - 1 - index % bands) * count + Math.floor(index / bands));
              image.data.set(palette.subarray(3 * byte, 3 * byte + 3), pixel);
              image.data[pixel + 3] = 255;
            });
            const source = new OffscreenCanvas(count, bands);
            source.getContext("2d").putImageData(image, 0, 0);
            context.imageSmoothingQuality = "high";
            // The last column may reach beyond the end.
            const used = Math.min(take.seconds / picture.secondsPerColumn, count);
            context.drawImage(source, 0, 0, used, bands, gutter, 1, width * used * picture.secondsPerColumn / take.seconds, height - 2);
            const octaves = Math.log(picture.highest / picture.lowest);
            for (const mark of [50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]) {
              const y = 1 + (height - 2) * (1 - Math.log(mark / picture.lowest) / octaves);
              if (mark < picture.lowest || mark > picture.highest) continue;
              label(context, mark < 1000 ? `${mark} Hz` : `${mark / 1000} kHz`, Math.min(Math.max(y, 7), height - 7));
              context.fillStyle = "#ffffff55";
              context.fillRect(gutter, y, 4, 1);
            }
          });
        }

        function draw(take) {
          drawWaveform(take);
          drawTicks(take);
          drawLoudness(take);
          drawSpectrogram(take);
        }
        """#
}
