// SPDX-License-Identifier: MIT
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace DuetBench
{
    /// <summary>The harness is misused, or its measurement was ended by an error.</summary>
    public sealed class DuetException : Exception
    {
        public DuetException(string message) : base(message) { }
    }

    /// <summary>
    /// The functions of duet.h for C# and other languages of .NET, by P/Invoke. One thread at a
    /// time drives it.
    /// </summary>
    public sealed class Duet : IDisposable
    {
        private const string Library = "libduet.so.0";
        private static object kept;
        private IntPtr handle; // a struct duet *; zero: closed

        static Duet()
        {
            // Who has a library of this name loaded gets it again by its name.
            string path = Environment.GetEnvironmentVariable("DUET_LIBRARY");
            if (!string.IsNullOrEmpty(path) && dlopen(path, 2) == IntPtr.Zero)
            {
                throw new DuetException("cannot load DUET_LIBRARY=" + path);
            }
        }

        /// <summary>Attaches to the runner that started this process, or prepares to work alone.</summary>
        /// <param name="name">of the benchmark, shown when it works alone</param>
        public Duet(string name)
        {
            try
            {
                handle = duet_open(Bytes(name ?? throw new ArgumentNullException(nameof(name))));
            }
            catch (DllNotFoundException)
            {
                throw new DuetException("cannot load " + Library + "; `make install` installs it, "
                    + "DUET_LIBRARY=FILE or LD_LIBRARY_PATH=DIR names another place");
            }
        }

        /// <summary>Whether a runner started this process and waits for somebody to attach.</summary>
        public static bool Wanted =>
            !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("DUET_ATTACH"));

        /// <summary>Whether a runner is attached; false: the program works alone.</summary>
        public bool Attached => duet_attached(Open()) != 0;

        /// <summary>The current iteration, from 0; a filler has that of the one it follows.</summary>
        public ulong Index => duet_index(Open());

        /// <summary>The library's version: major * 10000 + minor * 100 + patch.</summary>
        public static int Version => duet_version();

        /// <summary>Whether another iteration is wanted. It may be a filler, which is not recorded.</summary>
        public bool Next() => duet_next(Open()) != 0;

        /// <summary>Waits for the other side and starts the clock.</summary>
        public void Begin() => duet_begin(Open());

        /// <summary>Stops the clock; then waits until the other side has ended its iteration, too.</summary>
        public void End() => duet_end(Open());

        /// <summary>Says that the iteration executes so many operations, 1 to 2^53; without it, one.</summary>
        public void Count(ulong operations) => duet_count(Open(), operations);

        /// <summary>Ends the region that is open, and begins another one; null: none.</summary>
        public void Region(string name) => duet_region(Open(), name == null ? null : Bytes(name));

        /// <summary>Says how long the iteration's work took by a clock of the program's own.</summary>
        public void Took(ulong nanoseconds) => duet_took(Open(), Math.Max(nanoseconds, 1));

        /// <summary>Leaves the measurement to another process, before Begin().</summary>
        public void HandOn() => duet_hand_on(Open());

        /// <summary>Ends the measurement; alone, prints its times. A second call does nothing.</summary>
        /// <exception cref="DuetException">where a program in C ends with status 1</exception>
        public void Dispose()
        {
            IntPtr closing = handle;
            handle = IntPtr.Zero;
            if (closing == IntPtr.Zero)
            {
                return;
            }
            Console.Out.Flush(); // what the program printed comes before our line
            string reason = Text(duet_reason(closing));
            if (duet_close(closing) != 0)
            {
                throw new DuetException(reason ?? "the measurement was ended by an error");
            }
        }

        /// <summary>Keeps the compiler from removing the computation of a value.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Keep<T>(T value)
        {
            if (typeof(T).IsClass)
            {
                kept = value;
                GC.KeepAlive(kept);
            }
        }

        private IntPtr Open() =>
            handle != IntPtr.Zero ? handle : throw new DuetException("this harness is closed");

        /// <summary>As C has it, with a zero at its end.</summary>
        private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text + "\0");

        private static string Text(IntPtr text)
        {
            if (text == IntPtr.Zero)
            {
                return null;
            }
            int length = 0;
            while (Marshal.ReadByte(text, length) != 0)
            {
                length++;
            }
            byte[] bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        [DllImport("libdl.so.2")] private static extern IntPtr dlopen(string path, int flags);
        [DllImport(Library)] private static extern IntPtr duet_open(byte[] name);
        [DllImport(Library)] private static extern int duet_next(IntPtr d);
        [DllImport(Library)] private static extern void duet_begin(IntPtr d);
        [DllImport(Library)] private static extern void duet_end(IntPtr d);
        [DllImport(Library)] private static extern void duet_count(IntPtr d, ulong operations);
        [DllImport(Library)] private static extern void duet_region(IntPtr d, byte[] name);
        [DllImport(Library)] private static extern void duet_took(IntPtr d, ulong nanoseconds);
        [DllImport(Library)] private static extern void duet_hand_on(IntPtr d);
        [DllImport(Library)] private static extern IntPtr duet_reason(IntPtr d);
        [DllImport(Library)] private static extern int duet_close(IntPtr d);
        [DllImport(Library)] private static extern int duet_attached(IntPtr d);
        [DllImport(Library)] private static extern ulong duet_index(IntPtr d);
        [DllImport(Library)] private static extern int duet_version();
    }
}
