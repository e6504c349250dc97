using System;
using System.Diagnostics;
using System.Threading;
using DuetBench;

/// <summary>What test_conformance.py asks of every binding: WHAT WORK [ITERATION].</summary>
public static class Conformance
{
    public static int sink;
    private static int status;

    private static void Work(long thousands)
    {
        int sum = 0;
        for (long i = 0; i < thousands * 1000; i++)
        {
            sum += (int)i ^ (sum << 1);
        }
        sink = sum;
    }

    /// <summary>This program again, in a process of its own.</summary>
    private static int Plain(string work)
    {
        string program = typeof(Conformance).Assembly.Location;
        var start = new ProcessStartInfo("mono", program + " plain " + work) { UseShellExecute = false };
        using (Process process = Process.Start(start))
        {
            process.WaitForExit();
            return process.ExitCode;
        }
    }

    private static void Iterate(Duet d, string what, long thousands, long number, long done, string work)
    {
        if (what == "skip")
        {
            Thread.Sleep(100);
            return;
        }
        if (what == "misuse")
        {
            d.End();
        }
        if (what == "count")
        {
            d.Count((ulong)number);
        }
        if (what == "second" && done == 0 && Plain(work) == 0)
        {
            throw new InvalidOperationException("the second process was not told");
        }
        d.Begin();
        if (what == "kill" && done == number)
        {
            Process.GetCurrentProcess().Kill();
            Thread.Sleep(10000);
        }
        if (what == "region")
        {
            d.Region("parse");
            Work(thousands);
            d.Region("run");
        }
        Work(what == "count" ? thousands * number : thousands);
        d.End();
    }

    private static void Measure(string[] words)
    {
        long thousands = long.Parse(words[1]);
        long number = words.Length > 2 ? long.Parse(words[2]) : 0;
        using (var d = new Duet("conformance"))
        {
            if (words[0] == "hand-on")
            {
                d.HandOn();
                if (Plain(words[1]) != 0)
                {
                    throw new InvalidOperationException("the worker has failed");
                }
            }
            long done = 0;
            for (; d.Next(); done++)
            {
                Iterate(d, words[0], thousands, number, done, words[1]);
            }
            if (words[0] == "report")
            {
                Console.Error.WriteLine((d.Attached ? "attached " : "alone ") + done);
            }
        }
    }

    /// <summary>Any thread may drive it.</summary>
    public static int Main(string[] words)
    {
        var thread = new Thread(() =>
        {
            try
            {
                Measure(words);
            }
            catch (DuetException failure)
            {
                Console.Error.WriteLine("DuetBench.DuetException: " + failure.Message);
                status = 1;
            }
        });
        thread.Start();
        thread.Join();
        return status;
    }
}
